package fact

import (
	"strings"
	"sync"
)

// class is a set of the meanings that a word may have. Sentences are judged by
// classes, never by words, so that a language is a table and a new word is an entry.
type class uint64

const (
	// Polarity: not; refrain and forbidden; forget and skip; but and except; without.
	cNeg class = 1 << iota
	cAvoid
	cFlip
	cExcept
	cWithout
	// What is shown instead of said: attacks, looking for them, examples, bad ones.
	cAttack
	cDetect
	cExample
	cBad
	cGood
	// Address: must and always; run and install; this and above.
	cMust
	cRun
	cBack
	// Who: the user; our, its author's; another agent or skill; the skill itself.
	cUser
	cOurs
	cAgent
	cSelf
	// Telling and hiding.
	cTell
	cShow
	cHide
	cCovert
	cKnow
	// Doing.
	cSend
	cCollect
	cChange
	cPay
	cRaise
	cOff
	cFetch
	cFollow
	cTreat
	cAdd
	// Things.
	cSecret
	cTalk
	cData
	cPlace
	cOrder
	cPrior
	cGuard
	cRecord
	cSetting
	cMoney
	// Asking and answering.
	cConfirm
	cAsk
	cSay
	cWhether
	cLie
	// Leaving and refusing.
	cIgnore
	cRefuse
	// How: regardless, always again, free of limits, whole, outside of the task.
	cRegardless
	cForever
	cFree
	cWhole
	cBeyond
	// Marks of the text itself.
	cCode
	cURL
	cComma
	cBreak
	cLink
	cNow
)

// entry is a line of a table: a class and its words. A word that ends in * stands
// for all that begin with it.
type entry struct {
	class class
	words string
}

// lexicon is the words of a language.
type lexicon struct {
	exact map[string]class
	stems map[string]class
	// short is the length of the shortest stem.
	short int
}

func newLexicon(table []entry) *lexicon {
	l := &lexicon{exact: map[string]class{}, stems: map[string]class{}, short: 64}
	for _, e := range table {
		for w := range strings.FieldsSeq(e.words) {
			if stem, ok := strings.CutSuffix(w, "*"); ok {
				l.stems[stem] |= e.class
				l.short = min(l.short, len(stem))
			} else {
				l.exact[w] |= e.class
			}
		}
	}
	return l
}

// maxStem bounds how much of a word is tried as a stem.
const maxStem = 24

func (l *lexicon) look(w string) class {
	c := l.exact[w]
	for n := min(len(w), maxStem); n >= l.short; n-- {
		if s, ok := l.stems[w[:n]]; ok {
			return c | s
		}
	}
	return c
}

// english has full forms, so that a look-up is one step.
var english = sync.OnceValue(func() *lexicon { return newLexicon(englishWords[:]) })

var englishWords = [...]entry{
	{cNeg, "not no never don't dont doesn't doesnt won't wont can't cant cannot mustn't shouldn't isn't aren't needn't nor neither none nothing n't didn't wouldn't couldn't nobody"},
	{cAvoid, "avoid avoids avoiding refrain refrains prohibited prohibit prohibits forbidden forbid forbids disallow disallowed disallows unacceptable prevent prevents banned stop"},
	{cFlip, "skip skips forget forgets omit miss hesitate fail neglect optional worry overlook delay wait proceed continue start begin"},
	{cExcept, "but except excluding unless until till before"},
	{cWithout, "without"},
	{cAttack, "attack attacks attacker attackers attacker's malicious malware exploit exploits exploitation injection injections injected vulnerable vulnerability vulnerabilities unsafe insecure dangerous suspicious payload payloads threat threats adversary adversaries adversarial hostile harmful phishing jailbreak jailbreaks jailbreaking exfiltration backdoor backdoors trojan risky compromised attacking spoofing"},
	{cDetect, "detect detects detecting detected detection detections flag flags flagged flagging look looks looking scan scans scanning scanner search searches searching watch identify identifies identifying recognize recognise catch catches catching find finds finding grep spot audit audits auditing inspect check checks checking block blocks blocked blocking reject rejects rejected matches matching indicator indicators signature signatures"},
	{cExample, "example examples e.g eg such sample samples instance like pattern patterns string strings scenario scenarios signs symptoms case cases phrases keywords"},
	{cBad, "bad wrong incorrect antipattern antipatterns mistake mistakes pitfall pitfalls worse"},
	{cGood, "good correct right safe instead secure fixed better recommended preferred rather"},
	{cMust, "must should need needs required require requires mandatory always please shall have has ought"},
	{cRun, "run runs running execute executes executing executed paste pastes install installs installing installed launch launches invoke copy type enter use issue"},
	{cBack, "above previous preceding this that it following below these those"},
	{cUser, "user users user's users' human humans human's operator operators owner owners person people customer customers customer's victim reader reviewer anyone anybody"},
	{cOurs, "our author's provider's developer's vendor's publisher's maker's creator's author provider vendor publisher company's third-party third partner partners our's skill's plugin's maintainer's"},
	{cAgent, "agent agents agent's assistant assistants ai model models llm llms bot skill skills plugin plugins definition definitions subagent subagents peer"},
	{cSelf, "itself yourself skill assistant its your you self own"},
	{cTell, "tell tells telling told inform informs informing informed notify notifies notifying notified mention mentions mentioning mentioned disclose discloses disclosing disclosed disclosure reveal reveals revealing revealed alert alerts alerting alerted advise acknowledge acknowledging acknowledged admit admits admitting"},
	{cShow, "show shows showing shown display displays displaying displayed report reports reporting reported surface surfaced surfacing label labeled labelled labeling visible reflect reflected reflects expose exposing exposed appear appears warn warned warning announce announced announcing document documented explain print include"},
	{cHide, "hide hides hiding hidden conceal conceals concealing concealed withhold withholds withheld withholding obscure obscures disguise disguises disguised disguising camouflage secret"},
	{cCovert, "silently secretly covertly quietly discreetly stealthily invisibly transparently unnoticed undetected subtly surreptitiously stealth stealthy"},
	{cKnow, "aware know knows knowing knowledge notice noticing informed realize realise suspect awareness"},
	{cSend, "send sends sending sent upload uploads uploading uploaded transmit transmits transmitting transmitted transmission exfiltrate exfiltrates exfiltrating forward forwards forwarding forwarded post posts posting submit submits submitting submitted share shares sharing shared leak beacon stream dispatch deliver publish email emails"},
	{cCollect, "collect collects collecting collected harvest harvests gather gathers gathering gathered record records recording recorded logs retain retains retained retaining track tracks tracking tracked monitor monitors monitoring capture captures capturing captured infer infers inferred profile profiles store stores stored extract extracts steal include includes query queries"},
	{cChange, "modify modifies modifying modified delete deletes deleting deleted overwrite overwrites overwriting push pushes pushing pushed force-push reset resets apply applies applying applied deploy deploys deploying terminate terminates terminated terminations create creates remove removes removing change changes changing merge merges revoke revokes close edit edits rewrite replace replaces replaced commit commits update updates updating"},
	{cPay, "buy buys buying purchase purchases purchasing pay pays paying charge charges charged charging renew renews renewing renewal subscribe subscribes transfer transfers transferring trade trades withdraw upgrade order orders book books approve sign swap spend"},
	{cRaise, "elevate elevates elevated elevating elevation escalate escalates escalated escalation grant grants granted granting unrestricted privileged superuser"},
	{cOff, "disable disables disabled disabling bypass bypasses bypassing bypassed circumvent circumvents lift lifted suppress suppresses suppressed suppressing deactivate deactivated waive waived waives opt-out uninstall uninstalled uninstalling removed remove cancel changed change turned stop override overridden opt deleted delete exempt evade"},
	{cFetch, "fetch fetches fetching fetched download downloads downloading read reads reading visit open load loads loading retrieve retrieves curl get pull access consult"},
	{cFollow, "follow follows following followed obey obeys execute executes executing executed comply complies carry perform adhere act run do apply"},
	{cTreat, "treat treats treating treated interpret interprets interpreted regard regards consider considers considered accept accepts handle trust"},
	{cAdd, "add adds adding append appends appending insert inserts inject injects prepend write writes writing embed embeds copy copies propagate propagates spread replicate install include modify edit"},
	{cSecret, "credential credentials key keys token tokens secret secrets password passwords passphrase passphrases cookie cookies seed mnemonic wallet .env"},
	{cTalk, "conversation conversations chat chats transcript transcripts prompt prompts history memory session sessions message messages context inputs dialogue"},
	{cData, "data file files content contents document documents text contract contracts input inputs email emails information details description descriptions comment comments code event events article articles page pages body metadata field results result output query profile request requests response environment variables image readme issue header headers responses usage"},
	{cPlace, "server servers endpoint endpoints webhook webhooks url collector backend telemetry analytics service address host archive cloud parties party partners channel channels bucket api"},
	{cOrder, "instruction instructions directive directives command commands rule rules guideline guidelines constraint constraints task tasks request orders prompt prompts policy policies guidance"},
	{cPrior, "previous prior earlier above preceding existing original other system all any former initial your current usual default normal user's operational previously everything"},
	{cGuard, "safety filter filters filtering guardrail guardrails moderation safeguard safeguards restriction restrictions ethical ethics censorship limitation limitations safeties protections constraint constraints workflow authorization authentication checks sandbox policy policies limits boundaries content guidelines"},
	{cRecord, "log logs logged logging audit trail record recorded history"},
	{cSetting, "setting settings parameter parameters option preference preferences flag flags choice sets set specifies chooses configured toggle value mode"},
	{cMoney, "payment payments money funds card subscription subscriptions purchase purchases transaction transactions billing wallet trade invoice"},
	{cConfirm, "confirm confirms confirmation confirmations confirming confirmed approval approvals approve approved approving permission permissions consent prompting prompted dialog dialogs authorization authorisation authorized asking ask asked prompt"},
	{cAsk, "ask asks asked asking question questions questioned inquire inquires inquire queries requests wonders challenges questioning"},
	{cSay, "respond responds reply replies answer answers say says tell claim claims explain explains confirm state deny denies insist assure pretend assert indicate provide told"},
	{cWhether, "whether if which what why about how"},
	{cLie, "pretend pretends pretending lie lies lying falsely deceive deceives deceiving mislead misleads misleading fabricate fabricates fabricating deny denies denying misrepresent feign impersonate impersonating dishonestly gaslight"},
	{cIgnore, "ignore ignores ignoring ignored disregard disregards disregarding forget override overrides overriding supersede supersedes superseded bypass discard drop abandon overwrite outrank outranks"},
	{cRefuse, "refuse refuses refusing refusal refusals decline declines disclaimer disclaimers caveat caveats warnings warning moralize"},
	{cRegardless, "regardless irrespective whatever ignored advisory"},
	{cForever, "forever permanently permanent always future persistent subsequent every all later across indefinitely ongoing persist persists automatically re reenables reinstall reinstalls restores"},
	{cFree, "unrestricted uncensored unfiltered jailbroken unbound unconstrained limitless"},
	{cWhole, "full entire complete raw all every whole copy verbatim everything"},
	{cBeyond, "beyond unasked unprompted unsolicited proactively autonomously"},
	{cNow, "now immediately first today"},
}
