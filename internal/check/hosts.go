package check

import (
	"context"
	"slices"

	"github.com/vadehq/vade/definition"
	"github.com/vadehq/vade/internal/catalog"
	"github.com/vadehq/vade/internal/config"
	"github.com/vadehq/vade/internal/host"
	"github.com/vadehq/vade/internal/host/registry"
)

// HostsOf returns the hosts for which [Run] checks a project by default. sources lists the paths in
// the project that vade sync copies from; files there do not show that the project uses a host.
func HostsOf(ctx context.Context, o catalog.Options, sources []string) ([]*host.Profile, error) {
	o.Nested, o.Unread = true, true
	k := checker{ctx: ctx, options: o, sources: sources}
	defer k.close()
	err := k.open()
	if err == nil {
		err = k.gather()
	}
	if err == nil {
		err = k.chooseHosts()
	}
	return k.profiles, err
}

// chooseHosts selects the hosts to check for. It uses the first of these lists that is not empty:
// the requested hosts, the hosts in .vade/check.yaml, the hosts in vade.yaml, the hosts that have
// their own files in the project, and the hosts that read one of its definitions. If all of these
// lists are empty, chooseHosts selects every host.
func (k *checker) chooseHosts() error {
	names, why := k.request.Hosts, "specified with --host"
	if len(names) == 0 && k.config != nil && len(k.config.Hosts) > 0 {
		names, why = k.config.Hosts, "listed in .vade/check.yaml"
	}
	if len(names) == 0 && k.project != nil && !k.project.Invalid && len(k.project.Hosts) > 0 {
		names, why = k.project.Hosts, "listed in "+config.File
	}
	if slices.Contains(names, "all") {
		names = nil
		for _, p := range registry.Hosts() {
			names = append(names, p.Name)
		}
		why = "all hosts are selected"
	}
	for _, name := range names {
		p, ok := registry.Lookup(name)
		if !ok || p.Name == host.NeutralName {
			return catalog.UnknownHost(name, registry.RealNames())
		}
		k.choose(p, why)
	}
	if len(k.profiles) > 0 {
		return nil
	}
	for _, h := range catalog.DetectHosts(k.sources, k.hasPath) {
		if p, ok := registry.Lookup(h.Host); ok {
			k.choose(p, h.Why)
		}
	}
	if len(k.profiles) == 0 {
		for _, p := range registry.Hosts() {
			if label := k.readRoot(p); label != "" {
				k.choose(p, "it reads "+label)
			}
		}
	}
	if len(k.profiles) == 0 {
		for _, p := range registry.Hosts() {
			k.choose(p, "no host-specific files found")
		}
	}
	return nil
}

func (k *checker) choose(p *host.Profile, why string) {
	if !slices.ContainsFunc(k.profiles, func(q *host.Profile) bool { return q.Name == p.Name && q.Version == p.Version }) {
		k.profiles = append(k.profiles, p)
		k.hosts = append(k.hosts, catalog.CheckedHost{Host: p.Name, Version: p.Version, Why: why})
	}
}

// hasPath reports whether a path exists in the project or contains definitions.
func (k *checker) hasPath(label string) bool {
	return k.neutral.HasPath(label, func(yield func(string) bool) {
		for _, it := range k.items {
			if !yield(it.path) {
				return
			}
		}
	})
}

// readRoot returns a project directory that the host reads and that contains a definition, or "".
func (k *checker) readRoot(p *host.Profile) string {
	for i := range p.Roots {
		if r := &p.Roots[i]; r.Layer == definition.Project && catalog.RootPath(r) != "" && k.hasPath(catalog.RootPath(r)) {
			return catalog.RootPath(r)
		}
	}
	return ""
}
