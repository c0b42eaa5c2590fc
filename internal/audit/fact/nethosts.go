package fact

import (
	"slices"
	"strings"
)

// Each table is in order, by domain: the hosts below a domain are meant too. They are
// of services that are open to everybody without a name, or nearly so: what is there
// says nothing about who put it there.

// pastes keep texts that anybody writes.
var pastes = [...]string{
	"0bin.net", "bpa.st", "codepad.org", "controlc.com", "cryptbin.com", "defuse.ca", "dpaste.com", "dpaste.de", "dpaste.org", "ghostbin.co",
	"ghostbin.com", "glot.io", "hastebin.com", "hastebin.skyra.pw", "heypasteit.com", "ideone.com", "ix.io", "jsitor.com", "justpaste.it",
	"justpaste.me", "katb.in", "kpaste.net", "mystb.in", "nopaste.net", "note.ms", "paste.c-net.org", "paste.debian.net", "paste.ee", "paste.gg",
	"paste.mozilla.org", "paste.myst.rs", "paste.ofcode.org", "paste.opensuse.org", "paste.rs", "paste.sh", "paste.ubuntu.com", "paste2.org",
	"pastebin.com", "pastebin.fr", "pastebin.osuosl.org", "pastebin.pl", "pastebin.run", "pastecode.io", "pastefs.com", "pastehub.net", "pasteio.com",
	"pastes.dev", "pastes.io", "pastetext.net", "privatebin.info", "privatebin.net", "privnote.com", "rentry.co", "rentry.org", "snippet.host",
	"sprunge.us", "telegra.ph", "termbin.com", "textbin.net", "throwbin.io", "txt.fyi", "write.as", "xbin.io", "zerobin.net",
}

// shorteners hide where an address leads.
var shorteners = [...]string{
	"adf.ly", "b.link", "bc.vc", "bit.do", "bit.ly", "bitly.com", "bl.ink", "buff.ly", "clck.ru", "cutt.ly", "cutt.us", "dub.sh", "dwz.cn", "goo.gl",
	"goo.su", "is.gd", "j.mp", "kutt.it", "linktr.ee", "n9.cl", "ow.ly", "qr.ae", "rb.gy", "rebrand.ly", "s.id", "shorte.st", "shorturl.at",
	"shrtco.de", "soo.gd", "suo.im", "surl.li", "t.cn", "t.ly", "t2m.io", "tiny.cc", "tiny.one", "tinyurl.com", "u.to", "url.cn", "urlz.fr", "v.gd",
	"vk.cc", "x.gd", "ykm.de",
}

// drops keep files that anybody puts there.
var drops = [...]string{
	"0x0.at", "0x0.st", "1fichier.com", "4shared.com", "anonfile.com", "anonfiles.com", "anonymfile.com", "bashupload.com", "bayfiles.com",
	"buzzheavier.com", "catbox.moe", "cdn.discordapp.com", "clickndownload.org", "dl.dropboxusercontent.com", "dosya.co", "dropbox.com",
	"dropmefiles.com", "easyupload.io", "fastupload.io", "fex.net", "file.io", "filebin.net", "filedropper.com", "filemail.com", "files.catbox.moe",
	"filesend.jp", "filetransfer.io", "gofile.io", "gofile.me", "hexload.com", "krakenfiles.com", "limewire.com", "litterbox.catbox.moe", "lufi.io",
	"media.discordapp.net", "mediafire.com", "mega.co.nz", "mega.io", "mega.nz", "megaup.net", "oshi.at", "pixeldrain.com", "qaz.im", "rapidgator.net",
	"send.vis.ee", "sendgb.com", "sendspace.com", "smash.com", "swisstransfer.com", "temp.sh", "tempfile.org", "tmpfiles.org", "tmpsend.com",
	"transfer.adttemp.com.br", "transfer.sh", "transferfile.io", "ufile.io", "upload.ee", "uploadfiles.io", "uploadhaven.com", "uppit.com",
	"userscloud.com", "we.tl", "wetransfer.com", "workupload.com", "wormhole.app", "zippyshare.com",
}

// collectors show whoever made them what others send there.
var collectors = [...]string{
	"beeceptor.com", "burpcollaborator.net", "bxss.in", "bxss.me", "canarytokens.com", "ceye.io", "dnsbin.zhack.ca", "dnslog.cn", "dnslog.pw",
	"eyes.sh", "hookb.in", "hookbin.com", "hookdeck.com", "interact.sh", "interactsh.com", "mockbin.org", "oast.fun", "oast.live", "oast.me",
	"oast.online", "oast.pro", "oast.site", "oastify.com", "pingb.in", "pipedream.net", "postb.in", "ptsv2.com", "ptsv3.com", "public.requestbin.com",
	"r.zhack.ca", "rbndr.us", "request.bin", "requestbin.cn", "requestbin.com", "requestbin.in", "requestbin.io", "requestbin.net",
	"requestcatcher.com", "requestinspector.com", "typedwebhook.tools", "webhook-test.com", "webhook.cool", "webhook.site", "webhookinbox.com",
	"xss.ht", "xss.report", "xsshunter.com",
}

// tunnels lead to a machine that has no address of its own.
var tunnels = [...]string{
	"bore.pub", "devtunnels.ms", "lhr.life", "lhr.rocks", "loca.lt", "localhost.run", "localtunnel.me", "ngrok-free.app", "ngrok-free.dev", "ngrok.app",
	"ngrok.dev", "ngrok.io", "packetriot.net", "pagekite.me", "pinggy.io", "pinggy.link", "playit.gg", "portmap.host", "portmap.io", "serveo.net",
	"serveousercontent.com", "telebit.cloud", "trycloudflare.com", "tunnelmole.net", "zrok.io",
}

// dynamic are names that whoever likes takes for an address that changes.
var dynamic = [...]string{
	"afraid.org", "chickenkiller.com", "ddns.net", "ddnsfree.com", "ddnsking.com", "duckdns.org", "dyndns.org", "dynu.net", "freeddns.org", "giize.com",
	"hopto.org", "kozow.com", "mooo.com", "myddns.me", "mywire.org", "nip.io", "no-ip.biz", "no-ip.org", "ooguy.com", "redirectme.net", "sslip.io",
	"sytes.net", "theworkpc.com", "us.to", "xip.io", "zapto.org",
}

// HostKind is what sort of service a host is.
type HostKind string

// The kinds.
const (
	PasteService HostKind = "paste"
	Shortener    HostKind = "shortener"
	FileDrop     HostKind = "file drop"
	Collector    HostKind = "request collector"
	Tunnel       HostKind = "tunnel"
	Messenger    HostKind = "messenger"
	DynamicName  HostKind = "dynamic name"
)

// inTable reports whether a host is, or is below, a domain of a table in order.
func inTable(table []string, host string) bool {
	for n := 0; n < 8; n++ {
		if _, ok := slices.BinarySearch(table, host); ok {
			return true
		}
		_, up, ok := strings.Cut(host, ".")
		if !ok {
			return false
		}
		host = up
	}
	return false
}

// PasteHost reports whether a host keeps texts that anybody writes.
func PasteHost(host string) bool { return inTable(pastes[:], host) }

// ShortHost reports whether a host hides where its addresses lead.
func ShortHost(host string) bool {
	// Services of one's own name under such an ending lead to no one else.
	return inTable(shorteners[:], host) && !strings.HasPrefix(host, "maps.")
}

// DropHost reports whether a host keeps files that anybody puts there.
func DropHost(host string) bool { return inTable(drops[:], host) }

// Kind says what sort of service an address belongs to; "" is an ordinary one.
func (u *URL) Kind() HostKind { return KindOf(u.Host, u.Route) }

// KindOf says what sort of service a host and the route on it belong to.
func KindOf(host, route string) HostKind {
	if !strings.Contains(host, ".") {
		return ""
	}
	if k := Sink(host, route); k != "" {
		return k
	}
	switch {
	case PasteHost(host), rawSnippet(host, route):
		return PasteService
	case DropHost(host) && !dropPage(host, route):
		return FileDrop
	case ShortHost(host):
		return Shortener
	case inTable(dynamic[:], host):
		return DynamicName
	}
	return ""
}

// rawSnippet reports whether an address is the text of a snippet on a forge.
func rawSnippet(host, route string) bool {
	switch host {
	case "gist.githubusercontent.com", "gist.github.com":
		return host != "gist.github.com" || strings.Contains(route, "/raw")
	case "gitlab.com", "bitbucket.org":
		return strings.HasPrefix(route, "/snippets/") || strings.HasPrefix(route, "/-/snippets/")
	}
	return false
}

// dropPage reports whether an address on a service for files is about the service.
func dropPage(host, route string) bool {
	switch {
	case strings.HasSuffix(host, "dropbox.com"):
		return !strings.HasPrefix(route, "/s/") && !strings.HasPrefix(route, "/scl/") && !strings.HasPrefix(route, "/sh/")
	case strings.HasSuffix(host, "wetransfer.com"), strings.HasSuffix(host, "limewire.com"), strings.HasSuffix(host, "mega.io"):
		return strings.Count(route, "/") < 2
	}
	return false
}

// Sink says what sort of place for what was taken an address is: one that shows its
// owner what is sent there, and that no one else answers for.
func Sink(host, route string) HostKind {
	switch {
	case inTable(collectors[:], host):
		return Collector
	case inTable(tunnels[:], host):
		return Tunnel
	}
	switch host {
	case "api.telegram.org":
		if strings.HasPrefix(route, "/bot") || strings.HasPrefix(route, "/file/bot") {
			return Messenger
		}
	case "discord.com", "discordapp.com", "canary.discord.com", "ptb.discord.com":
		if strings.Contains(route, "/api/webhooks/") || strings.HasPrefix(route, "/api/v") && strings.Contains(route, "/webhooks/") {
			return Messenger
		}
	case "hooks.slack.com":
		if strings.HasPrefix(route, "/services/") || strings.HasPrefix(route, "/workflows/") {
			return Messenger
		}
	case "api.pushover.net", "maker.ifttt.com", "open.feishu.cn", "oapi.dingtalk.com", "qyapi.weixin.qq.com", "sctapi.ftqq.com", "api.day.app", "pushplus.plus", "www.pushplus.plus":
		return Messenger
	case "docs.google.com":
		if strings.HasPrefix(route, "/forms/") && strings.HasSuffix(route, "/formResponse") {
			return Collector
		}
	case "script.google.com":
		if strings.HasPrefix(route, "/macros/s/") {
			return Collector
		}
	case "ntfy.sh":
		if len(route) > 1 && !strings.HasPrefix(route, "/docs") {
			return Messenger
		}
	}
	return ""
}
