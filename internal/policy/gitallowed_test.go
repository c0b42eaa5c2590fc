package policy

// gitAllowed lists command lines that must be allowed and, if there are no patterns to exclude,
// left unchanged.
var gitAllowed = `
git --version
git version
git --no-pager version --build-options
git status
git status -s
git status -sb
git status -bs
git status --short --branch
git status --porcelain
git status --porcelain=v2
git status --porcelain=v1 -z
git status -uno
git status --untracked-files=all
git status --ignored
git status --show-stash
git status --ignore-submodules
git status -- src
git status 'docs'
git diff
git diff HEAD
git diff HEAD~1
git diff --cached
git diff --staged --stat
git diff --cached --name-only
git diff --name-only
git diff --name-status main...HEAD
git diff --stat
git diff --stat HEAD~30
git diff --stat=120,80
git diff --shortstat
git diff --numstat origin/main
git diff main..feature/x
git diff main feature/x
git diff @{u}
git diff @{u}..
git diff '@{upstream}...HEAD'
git diff HEAD -- src/a.go
git diff -- '*.md'
git diff -- ':!vendor'
git diff -- ':^vendor/' .
git diff -- ':(exclude)vendor' src
git diff -- ':(top)docs'
git diff -- ':(top,icase)docs/*.md'
git diff -- :/docs
git diff -U5
git diff --unified=0
git diff -w
git diff -b --ignore-blank-lines
git diff -M50%
git diff --find-renames=90%
git diff -C --find-copies-harder
git diff --diff-filter=ACMR
git diff --word-diff
git diff --word-diff=plain
git diff --no-color
git diff --color=never
git diff --check
git diff --exit-code
git diff --quiet
git diff --no-ext-diff --no-textconv
git diff --diff-algorithm=histogram
git diff --dirstat=files,10
git diff -S needle
git diff -Sneedle
git diff -G 'func .*Test'
git diff --relative
git diff --merge-base main
git diff-tree --no-commit-id --name-only -r HEAD
git diff-index --quiet HEAD --
git diff-files --name-only
git log
git log -1
git log -10
git log -n 5
git log -n5
git log --max-count=3
git log --max-count 3
git log --oneline
git log --oneline -10
git log --oneline --graph --all -10
git log --oneline --decorate
git log --oneline main..HEAD
git log --oneline origin/main..
git log --oneline ^main HEAD
git log develop..origin/develop --oneline
git log v1.0..HEAD --oneline --no-merges
git diff --stat HEAD~30..HEAD
git log --oneline v1.0...v2.0
git log --oneline -- src/a.go
git log --oneline src/a.go
git log --format=%H -1
git log -1 --format=%H
git log -1 --format=%an
git log '--format=%h %s (%an, %ar)'
git log --format='%ae' --since='3 months ago'
git log '--pretty=format:%h%n%B%-b%+d% D'
git log '--pretty=format:%C(auto)%h%Creset%C(bold blue)%s'
git log '--pretty=tformat:%<(20,trunc)%an%>>(10)%s%w(72,4,4)%b'
git log '--format=%(trailers:key=Reviewed-by,valueonly)%(decorate)'
git log --pretty=oneline
git log --pretty=fuller
git log --pretty
git log --format=%%
git log --pretty=reference
git log --oneline --since='1 month ago'
git log --oneline --since='2 weeks ago' --until=yesterday
git log --after=2024-01-01 --before 2024-02-01
git log --author=someone --no-merges
git log --author='A B' --committer=x
git log --grep=fix -i
git log --oneline --grep='password\|secret'
git log --grep fix --all-match --invert-grep
git log -S needle --oneline
git log -Gneedle --name-only
git log -p
git log -p -1
git log --patch -- src
git log -u -2
git log -U3 -1
git log --stat
git log --stat -5
git log --name-only --oneline
git log --name-status
git log --shortstat
git log --follow --oneline -- src/a.go
git log --follow src/a.go
git log --date=short
git log --date=iso-strict
git log --date=relative
git log '--date=format:%Y-%m-%d %H:%M'
git log --date=format-local:%F
git log --first-parent
git log --merges
git log --reverse
git log --topo-order
git log --all --not main
git log --branches=feature/*
git log --tags --simplify-by-decoration '--pretty=format:%ai %d'
git log --remotes=origin
git log --left-right --cherry-pick main...HEAD
git log --abbrev-commit --abbrev=8
git log --no-color
git log --decorate=short --decorate-refs=refs/heads/*
git log -g
git log --walk-reflogs
git log HEAD~3..HEAD
git log HEAD@{1}..
git log @
git log --stat origin/main.. src
git log '@{10:00}...' --
git show HEAD:src/a.go HEAD:docs/b.md
git log '@{yesterday}'
git log '@{2024-01-01 10:00}..'
git log abc1234
git log ':/fix the thing'
git log -m -1
git log --cc -1
git log --diff-merges=first-parent
git log --diff-filter=A --name-only
git whatchanged -1
git show
git show HEAD
git show HEAD~3
git show HEAD^2
git show v1.0
git show --stat HEAD
git show --name-only
git show --oneline -s
git show -s --format=%B
git show --no-patch --format=%cI HEAD
git show HEAD:README.md
git show HEAD:./src/a.go
git show main:src/
git show :src/a.go
git show :0:src/a.go
git show HEAD -- src
git show HEAD^{tree}
git show v1.0^{commit}
git show 'HEAD^{/fix bug}'
git show --pretty=format: --name-status HEAD
git branch
git branch -a
git branch -r
git branch -v
git branch -vv
git branch -avv
git branch -a -v
git branch --show-current
git branch --all
git branch --remotes
git branch --list
git branch -l
git branch --list 'feature/*'
git branch -l main
git branch -a --list '*x*'
git branch --contains
git branch --contains HEAD
git branch --contains=HEAD
git branch --merged
git branch --merged main
git branch -r --no-merged origin/main
git branch --points-at HEAD
git branch --sort=-committerdate
git branch --sort -committerdate:short
git branch --format=%(refname:short)
git branch --format '%(refname:short) %(upstream:track)'
git branch --no-color
git branch --color=never
git branch --no-column
git tag
git tag -l
git tag --list
git tag -l 'v1.*'
git tag --list v1.0 v2.0
git tag -n
git tag -n3
git tag -l -n1
git tag --sort=-version:refname
git tag --sort=-v:refname
git tag -l --sort=-creatordate
git tag --contains HEAD
git tag --merged
git tag --points-at HEAD
git tag --format=%(refname:short)
git tag --no-merged main
git remote
git remote -v
git remote --verbose
git remote get-url origin
git remote get-url --all --push origin
git remote show
git remote show -n origin
git rev-parse HEAD
git rev-parse --short HEAD
git rev-parse --short=8 HEAD
git rev-parse --abbrev-ref HEAD
git rev-parse --abbrev-ref --symbolic-full-name @{u}
git rev-parse --abbrev-ref main@{upstream}
git rev-parse --verify -q refs/heads/main
git rev-parse --verify --quiet HEAD^{commit}
git rev-parse --show-toplevel
git rev-parse --git-dir
git rev-parse --git-common-dir
git rev-parse --is-inside-work-tree
git rev-parse --show-prefix
git rev-parse --git-path hooks
git rev-parse v1.0^{}
git rev-parse HEAD HEAD~1
git describe
git describe --tags
git describe --tags --abbrev=0
git describe --tags --abbrev=0 origin/main
git describe --always --dirty
git describe --dirty=-changed --long
git describe --tags --match 'v*' --exclude='*rc*'
git describe --contains HEAD~1
git ls-files
git ls-files -m
git ls-files -mo --exclude-standard
git ls-files --others --exclude-standard
git ls-files -s
git ls-files '*.go'
git ls-files -- src
git ls-files -x '*.log' -o
git ls-files --eol
git ls-files --error-unmatch README.md
git ls-tree HEAD
git ls-tree -r HEAD --name-only
git ls-tree -r --name-only HEAD src
git ls-tree -l HEAD:src
git shortlog HEAD
git shortlog -sn HEAD
git shortlog -sne --all
git shortlog -s -n --since=2024-01-01 HEAD
git shortlog v1.0..HEAD
git blame README.md
git blame -L 1,10 README.md
git blame -L10,+5 HEAD -- README.md
git blame -w -M -C README.md
git blame --porcelain HEAD~2 README.md
git blame --line-porcelain -e README.md
git rev-list HEAD
git rev-list --count HEAD
git rev-list --count main..HEAD
git rev-list --left-right --count main...HEAD
git rev-list --max-parents=0 HEAD
git rev-list -n 1 v1.0
git rev-list --all --count --since='1 week ago'
git merge-base main HEAD
git merge-base --is-ancestor main HEAD
git merge-base --fork-point main
git name-rev HEAD
git name-rev --name-only --tags HEAD
git stash list
git stash list --oneline -3
git stash list --format=%gd:%gs
git worktree list
git worktree list --porcelain
git reflog
git reflog -10
git reflog show
git reflog show HEAD
git reflog --date=iso main
git for-each-ref
git for-each-ref refs/heads
git for-each-ref --sort=-committerdate --count=5 refs/heads/
git for-each-ref '--format=%(refname:short) %(authorname) %(committerdate:relative)'
git for-each-ref '--format=%(if)%(HEAD)%(then)*%(else)-%(end)%(*objectname)%%'
git for-each-ref --contains HEAD
git for-each-ref --merged=main --format='%(upstream:track,nobracket)'
git show-ref
git show-ref --heads
git show-ref --tags -d
git show-ref --verify -q refs/heads/main
git show-ref -s HEAD
git symbolic-ref HEAD
git symbolic-ref --short HEAD
git symbolic-ref -q --short refs/remotes/origin/HEAD
git cherry
git cherry -v main
git cherry -v origin/main HEAD
git count-objects
git count-objects -vH
git grep TODO
git grep -n TODO
git grep -in todo -- '*.go'
git grep -l TODO
git grep -c TODO HEAD
git grep -e foo --and -e bar
git grep -e foo --or --not -e bar src
git grep -A3 -B 2 func
git grep -E 'a|b' HEAD~1 -- src
git grep -2 TODO
git config user.name
git config --get user.email
git config --get init.defaultBranch
git config --get remote.origin.url
git config remote.my.fork.url
git config --local branch.main.remote
git config --get branch.feature/x.merge
git config --default=none --get user.name
git check-ignore node_modules
git check-ignore -v build dist
git check-ignore -q -- build
git check-attr -a README.md
git check-attr text -- README.md
git cat-file -t HEAD
git cat-file -e HEAD:README.md
git -C src status
git -C src log --oneline -5
git --no-pager -C src diff --stat
`
