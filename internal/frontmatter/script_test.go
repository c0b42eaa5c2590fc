package frontmatter_test

import (
	"strings"
	"testing"

	"github.com/vadehq/vade/diag"
	"github.com/vadehq/vade/internal/frontmatter"
)

// TestParseScript covers the forms that were tested with Claude Code 2.1.330. Each has the
// description that Claude Code listed, or "" if it did not load the file. X stands for
// "name:'n',description:'d'".
func TestParseScript(t *testing.T) {
	for _, tc := range []struct{ text, want string }{
		{"export const meta = {X}", "d"},
		{"export const meta = {X, n:[1,[2,{x:null}],true,false]}", "d"},
		{"export const meta = {X, n:0x10, o:1_000, p:.5, q:1e3, r:0b1, s:1n, t:1E-2}", "d"},
		{"export const meta = {n\\u0061me:'n',description:'x\\\ny'}", "xy"},
		{"export const meta = {name:'n',description:`l1\nl2 \\` \\${x}`}", "l1\nl2 ` ${x}"},
		{"export const meta = {name:'n',description:`a\r\nb`}", "a\nb"},
		{"export const meta = {description:'first',X}", "d"},
		{"\ufeffexport const meta = {X}", "d"},
		{"#!/usr/bin/env node\nexport const meta = {X}", "d"},
		{"export const meta = ({X})", "d"},
		{"export const meta = {name:('n'),description:('d')}", "d"},
		{"export const meta = {X};export const meta2 = 5", "d"},
		{"export const meta = {'name':'n','description':'d',1:2,1.5:3}", "d"},
		{"export const meta = {X,x:/re/,y:/[/]a/gi}", "d"},
		{"export const meta = {X,async:1,get:2,if:{},'x y':{},日本:1,$a:2,_b:3,toString:4}", "d"},
		{"export const meta = {X}\nexport default async function(){ return await (}", "d"},
		{"// c\n/* a */ export /*b*/ const\nmeta\n= // d\n {X,} // e", "d"},
		{"export const meta =\n\n{\r\nname:'n',\r\ndescription:'d'\r\n}\r\n", "d"},
		{"export const meta = {X}/*\n*/foo()", "d"},
		{"export const meta = {X}\n++x", "d"},
		{`export const meta = {name:'n',description:'\u{41}\u0042\x43\q\t\ud83d\ude00'}`, "ABCq\t😀"},
		{"export const meta = {X,x:'a\u2028b',y:``,z:[1,]}", "d"},
		{"export const meta = {X,x:" + strings.Repeat("[", 100) + strings.Repeat("]", 100) + "}", "d"},
		{"export const meta = {X,n:-1}", ""}, {"export const meta = {X,n:+1}", ""}, {"export const meta = {X,n:!0}", ""},
		{"export const meta = {X,n:undefined}", ""}, {"export const meta = {X,n:NaN}", ""}, {"export const meta = {X,n:010}", ""},
		{"export const meta = {X,...{}}", ""}, {"export const meta = {['name']:'n',description:'d'}", ""},
		{"export const meta = {X,__proto__:{}}", ""}, {"export const meta = {X,'__proto__':1}", ""}, {"export const meta = {X,x:{constructor:1}}", ""},
		{"export const meta = {X}, other = 1", ""}, {"const other = 1\nexport const meta = {X}", ""}, {"export const meta = {X} as const", ""},
		{"export const meta = Object.freeze({X})", ""}, {"export var meta = {X}", ""}, {"export let meta = {X}", ""}, {"const meta = {X}", ""},
		{"export const meta: any = {X}", ""}, {"export const meta = {X,x:new Date()}", ""}, {"export const meta = {X,get x(){return 1}}", ""},
		{"export const meta = {X,x:'a'+'b'}", ""}, {"export const meta = {X,x:[,1]}", ""}, {"export const meta = {X,x:[...[1]]}", ""},
		{`export const meta = {name:'n',description:'\101'}`, ""}, {"export const meta = {X", ""}, {"export const meta = {name:'n',description:`x${'y'}`}", ""},
		{"export const meta = {X,name2}", ""}, {"export const meta = {X,,}", ""}, {"<!-- html\nexport const meta = {X}", ""},
		{";export const meta = {X}", ""}, {"'use strict';\nexport const meta = {X}", ""}, {"import x from 'y'\nexport const meta = {X}", ""},
		{"export default {X}", ""}, {"export const meta = [{X}]", ""}, {"export const meta = {X}.x", ""}, {"export const meta = {X} + 1", ""},
		{"export const meta = {X}\n(x)", ""}, {"export const meta = {X}\n[1]", ""}, {"export const meta = {X} foo()", ""}, {"export const meta = {X}\n- 1", ""},
		{"export const meta={X}export const x=1", ""}, {"export const meta = {X}}", ""}, {"export const meta = {X}\n/re/.test(x)", ""},
		{"export const meta = {X}\ninstanceof Y", ""}, {"export const meta = {X}\n, y = 1", ""}, {"export const meta = {X}\n`t`", ""},
		{"", ""}, {"export", ""}, {"export const meta =", ""}, {"export const meta = {\\", ""}, {"export const meta = {a:'\\", ""}, {"export const meta = {X} /*", ""},
	} {
		f := diag.NewFile("w.js", []byte(strings.ReplaceAll(tc.text, "X", "name:'n',description:'d'")))
		doc, found := frontmatter.ParseScript(f)
		got := ""
		for _, e := range doc.Entries {
			if e.Key == "description" {
				got = e.Value.Text
			}
		}
		if got != tc.want || doc.Valid != (tc.want != "") || doc.Valid != (len(found) == 0) {
			t.Errorf("%q: %q, valid %v, %v, want %q", tc.text, got, doc.Valid, found, tc.want)
		}
	}
}

// FuzzParseScript checks that no input makes the parser panic or loop forever.
func FuzzParseScript(f *testing.F) {
	f.Add("export const meta = {name:'n',description:`d`,x:[1,{a:/r/}]}")
	f.Fuzz(func(t *testing.T, text string) {
		frontmatter.ParseScript(diag.NewFile("w.js", []byte(text)))
	})
}
