package fact

import "slices"

// SayFacts are what a text tells the model to do.
type SayFacts struct {
	Sayings []Saying
	shown   bool
}

// Saying is a sentence that tells the model something.
type Saying struct {
	Place
	Standing
	Text string
	// Verb and Object are in their plain forms and in English, whatever the language
	// of the text; "" where there is none.
	Verb, Object string
	// Topics is what it is about.
	Topics []Topic
	// Firm are those of them that can hardly be meant otherwise.
	Firm []Topic
	// Tongue is the language: en, zh, ru …
	Tongue string
	region int
}

// On reports whether a saying is about a topic, and whether firmly.
func (s *Saying) On(t Topic) (on, firm bool) {
	return slices.Contains(s.Topics, t), slices.Contains(s.Firm, t)
}

// Topic is what a saying is about, each with its own words in each language.
type Topic string

// The topics.
const (
	AboutOverride   Topic = "override"   // leave what you were told before
	AboutConceal    Topic = "conceal"    // do not let the user know
	AboutRole       Topic = "role"       // a mark of a system or another speaker
	AboutDisclose   Topic = "disclose"   // send what was said, or secrets, somewhere
	AboutFollowURL  Topic = "follow-url" // read an address and do what it says
	AboutSuppress   Topic = "suppress"   // do not refuse, no safety
	AboutNoConfirm  Topic = "no-confirm" // do not ask before
	AboutHistory    Topic = "history"    // read the memory or logins of agents
	AboutPropagate  Topic = "propagate"  // write to other definitions
	AboutMustGet    Topic = "must-get"   // get and run a program before anything
	AboutPassword   Topic = "password"   // a password for an archive
	AboutDeceive    Topic = "deceive"    // say to the user what is not so
	AboutBeyond     Topic = "beyond"     // do what the user did not ask for
	AboutPersist    Topic = "persist"    // stay in force, come back
	AboutPermission Topic = "permission" // take rights, switch guards off
	AboutControl    Topic = "control"    // what the user set or wants does not count
	AboutObey       Topic = "obey"       // take what data says as orders
)
