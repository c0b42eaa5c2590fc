package source

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/vadehq/vade/internal/ledger"
)

// indexPaths lists the paths at which a website may have its index: first the path in agentskills
// discovery 0.2.0, then the one in 0.1.0.
var indexPaths = []string{"/.well-known/agent-skills/index.json", "/.well-known/skills/index.json"}

// siteIndex is a website's index of skills. Version 0.2.0 contains a type, a URL and a digest for
// each skill. Version 0.1.0 contains the paths of each skill's files.
type siteIndex struct {
	Skills []struct {
		Name, Type, URL, Digest string
		Files                   []string
	} `json:"skills"`
}

const maxIndex = 8 << 20

// site fetches skills from a website that publishes a skill index.
func (f *Fetcher) site(ctx context.Context, s Source, names []string) (*Fetched, error) {
	at, index, err := findIndex(ctx, s)
	if err != nil {
		return nil, err
	}
	out := &Fetched{Digests: map[string]string{}}
	left := int64(maxBytes)
	for _, x := range index.Skills {
		if len(names) > 0 && !slices.Contains(names, x.Name) {
			continue
		}
		if strings.ContainsAny(x.Name, `/\`) || x.Name == "" || x.Name == "." || x.Name == ".." {
			return nil, &Error{s.Typed, fmt.Sprintf("the index contains the invalid name %q", x.Name), "ask the author to fix the index", nil}
		}
		var files []ledger.File
		if x.Type == "" {
			files, err = fetchFiles(ctx, at.JoinPath("..", x.Name), x.Files, left)
		} else {
			files, err = fetchSkill(ctx, at, x.Type, x.URL, x.Digest, left)
		}
		if err != nil {
			return nil, &Error{s.Typed, "skill " + x.Name + ": " + err.Error(), "try again; if the problem persists, ask the author to fix the index", err}
		}
		out.Digests[x.Name] = x.Digest
		for _, file := range files {
			file.Path = x.Name + "/" + file.Path
			left -= int64(len(file.Data))
			out.Files = append(out.Files, file)
		}
		if len(out.Files) > maxFiles {
			return nil, &Error{s.Typed, errTooMany.Error(), "specify the skills to install", nil}
		}
	}
	return out, nil
}

// findIndex looks for an index below the URL's path, and then at the site's root.
func findIndex(ctx context.Context, s Source) (*url.URL, *siteIndex, error) {
	base, err := url.Parse(s.URL)
	if err != nil {
		return nil, nil, err
	}
	var last error
	for _, prefix := range slices.Compact([]string{strings.TrimSuffix(base.Path, "/"), ""}) {
		for _, p := range indexPaths {
			at := *base
			at.Path, at.RawQuery = prefix+p, ""
			data, err := get(ctx, at.String(), maxIndex)
			if err != nil {
				last = err
				continue
			}
			var index siteIndex
			if err := json.Unmarshal(data, &index); err != nil {
				return nil, nil, &Error{s.Typed, "the index is not valid JSON", "ask the author to fix " + at.String(), err}
			}
			return &at, &index, nil
		}
	}
	return nil, nil, &Error{s.Typed, "no skill index found: " + last.Error(), "for a git repository, add .git to the URL", last}
}

// fetchSkill fetches a skill listed in a 0.2.0 index.
func fetchSkill(ctx context.Context, index *url.URL, kind, ref, digest string, limit int64) ([]ledger.File, error) {
	u, err := index.Parse(ref)
	if err != nil {
		return nil, fmt.Errorf("the URL %q is not valid", ref)
	}
	data, err := get(ctx, u.String(), limit)
	if err != nil {
		return nil, err
	}
	if want, ok := strings.CutPrefix(digest, "sha256:"); !ok || want != ledger.SHA256(data) {
		return nil, errors.New("the content's digest differs from the one in the index")
	}
	switch kind {
	case "skill-md":
		return []ledger.File{{Path: "SKILL.md", Data: data}}, nil
	case "archive":
		files, err := unpack(data)
		if err != nil {
			return nil, err
		}
		return withoutTop(files), nil
	}
	return nil, fmt.Errorf("unknown type %q", kind)
}

// fetchFiles fetches the files of a skill listed in a 0.1.0 index.
func fetchFiles(ctx context.Context, dir *url.URL, names []string, limit int64) ([]ledger.File, error) {
	if len(names) == 0 {
		names = []string{"SKILL.md"}
	}
	u := unpacker{left: limit}
	for _, name := range names {
		if !fs.ValidPath(name) {
			return nil, fmt.Errorf("the index contains the invalid path %q", name)
		}
		data, err := get(ctx, dir.JoinPath(name).String(), u.left)
		if err != nil {
			return nil, err
		}
		if err := u.add(name, strings.NewReader(string(data)), 0); err != nil {
			return nil, err
		}
	}
	return u.files, nil
}

const requestTimeout = time.Minute

// get fetches a URL and returns the response body. Redirects must go to https
// or keep the URL's scheme.
func get(ctx context.Context, at string, limit int64) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, at, nil)
	if err != nil {
		return nil, err
	}
	client := &http.Client{CheckRedirect: func(r *http.Request, via []*http.Request) error {
		if len(via) > 5 || r.URL.Scheme != "https" && r.URL.Scheme != via[0].URL.Scheme {
			return errors.New("too many redirects, or a redirect to another protocol")
		}
		return nil
	}}
	response, err := client.Do(request)
	if err != nil {
		var u *url.Error
		if errors.As(err, &u) {
			err = u.Err
		}
		return nil, err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return nil, errors.New("the server responded with " + response.Status)
	}
	data, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	if err == nil && int64(len(data)) > limit {
		err = fmt.Errorf("the response is larger than %d bytes", limit)
	}
	return data, err
}
