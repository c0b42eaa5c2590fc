package host

import "testing"

// TestAbilities: what is said of a host without its profile is what its profile has.
func TestAbilities(t *testing.T) {
	some := Ability(0)
	for _, f := range families() {
		for _, v := range f.versions {
			if got := abilities(f.profile(v)); got != f.can {
				t.Errorf("%s@%s has the abilities %05b, the list says %05b", f.name, v, got, f.can)
			}
		}
		some |= f.can
	}
	if some != CanExport|CanServers|CanPlugin|CanOptions|CanPermit {
		t.Errorf("no host has one of the abilities: %05b", some)
	}
}

// abilities are those that the tables of a profile give it.
func abilities(p *Profile) Ability {
	var a Ability
	for _, has := range []struct {
		it  bool
		bit Ability
	}{{p.Export != nil, CanExport}, {p.Servers != nil, CanServers}, {p.Plugin != nil, CanPlugin}, {p.SDK != nil, CanOptions}, {p.Permission != nil, CanPermit}} {
		if has.it {
			a |= has.bit
		}
	}
	return a
}
