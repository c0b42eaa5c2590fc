package policy

// gitRefused lists command lines that must be refused, with the reason for each.
var gitRefused = `
COMMAND git
COMMAND git --no-pager
COMMAND git commit -m x
COMMAND git add .
COMMAND git push
COMMAND git push origin main
COMMAND git pull
COMMAND git fetch
COMMAND git fetch origin
COMMAND git clone x y
COMMAND git init
COMMAND git checkout main
COMMAND git switch main
COMMAND git restore .
COMMAND git reset --hard
COMMAND git clean -fdx
COMMAND git merge main
COMMAND git rebase main
COMMAND git rebase --exec x main
COMMAND git cherry-pick HEAD
COMMAND git revert HEAD
COMMAND git am
COMMAND git apply x
COMMAND git stash
COMMAND git stash push
COMMAND git stash pop
COMMAND git stash show -p
COMMAND git stash drop
COMMAND git stash --include-untracked list
COMMAND git worktree
COMMAND git worktree add x
COMMAND git worktree prune
COMMAND git submodule
COMMAND git submodule status
COMMAND git submodule foreach ls
COMMAND git ls-remote
COMMAND git ls-remote origin
COMMAND git remote-http x
COMMAND git lfs ls-files
COMMAND git lol
COMMAND git difftool
COMMAND git difftool -y -x 'touch M' HEAD~1
COMMAND git difftool --no-prompt --extcmd='touch M' HEAD~1
COMMAND git mergetool
COMMAND git archive HEAD
COMMAND git archive --output=x HEAD
COMMAND git bundle create x HEAD
COMMAND git bisect start
COMMAND git bisect run x
COMMAND git gc
COMMAND git prune
COMMAND git repack
COMMAND git fsck
COMMAND git maintenance run
COMMAND git update-index --refresh
COMMAND git update-ref refs/heads/x HEAD
COMMAND git hash-object -w x
COMMAND git write-tree
COMMAND git fast-export
COMMAND git filter-branch
COMMAND git format-patch -1
COMMAND git send-email x
COMMAND git instaweb
COMMAND git gui
COMMAND git daemon
COMMAND git upload-pack .
COMMAND git help log
COMMAND git credential fill
COMMAND git notes add
COMMAND git replace x y
COMMAND git var GIT_EDITOR
COMMAND git bugreport
COMMAND git rm x
COMMAND git mv x y
COMMAND git Status
COMMAND git ''
FLAG git -c core.pager=x log
FLAG git -calias.x=y log
FLAG git -p log
FLAG git --paginate log
FLAG git --git-dir=x log
FLAG git --git-dir x log
FLAG git --work-tree=. status
FLAG git --exec-path=x log
FLAG git --exec-path
FLAG git --config-env=a=b log
FLAG git --namespace=x log
FLAG git --super-prefix=x log
FLAG git --bare log
FLAG git --html-path
FLAG git --help
FLAG git -h
FLAG git --attr-source=x log
COMMAND git --version --build-options
FLAG git -C src -C sub log
FLAG git -Csrc log
FLAG git -C
OPERAND git -C '' log
OPERAND git -C -x log
PATH_OUTSIDE git -C .. log
PATH_OUTSIDE git -C /etc log
PATH_PROTECTED git -C .git log
PATH_OUTSIDE git -C src show HEAD:../x
PATH_OUTSIDE git -C src diff -- ../x
PATH_PROTECTED git -C src blame .env
FLAG git status -v
FLAG git status --verbose
FLAG git status --ignore-submodules=none
FLAG git status --porcelain=v3
FLAG git status --shor
FLAG git status -sx
FLAG git status --help
FLAG git status -h
FLAG git status --short=x
PATH_OUTSIDE git status ../other
PATH_OUTSIDE git status -- /etc
FLAG git diff --no-index /dev/null x
FLAG git diff --output=M HEAD~1
FLAG git diff --output M
FLAG git diff --outpu=M
FLAG git diff -o M
FLAG git diff -O order
FLAG git diff -Oorder
FLAG git diff --ext-diff
FLAG git diff --textconv
FLAG git diff --submodule=diff
FLAG git diff --submodule
FLAG git diff --ignore-submodules=none
FLAG git diff --src-prefix=x
FLAG git diff --dst-prefix=x
FLAG git diff --line-prefix=x
FLAG git diff --color=always
FLAG git diff --color
FLAG git diff --color-words
FLAG git diff --word-diff=color
FLAG git diff --relative=..
FLAG git diff --stat=a
FLAG git diff --name-onl
FLAG git diff -pw
FLAG git diff -U
FLAG git diff --unified
FLAG git diff -S
FLAG git diff -S --name-only
FLAG git diff --help
FLAG git diff --stdin
PATH_OUTSIDE git diff /etc/passwd /dev/null
PATH_OUTSIDE git diff ../a ../b
PATH_PROTECTED git diff .env
PATH_PROTECTED git diff HEAD -- .env
PATH_PROTECTED git diff HEAD -- sub/.ENV
PATH_PROTECTED git diff -- ':(icase)sub/.ENV'
PATH_PROTECTED git diff -- :/.env
PATH_PROTECTED git diff -- ::.env
PATH_PROTECTED git diff -- :.env
PATH_OUTSIDE git diff -- ':(top)../x'
OPERAND git diff -- ':(attr:x)src'
OPERAND git diff -- ':(prefix:0)src'
OPERAND git diff -- ':(top'
OPERAND git diff -- ':-x'
OPERAND git diff -- ''
OPERAND git diff ''
OPERAND git diff -- -x
FLAG git diff -
OPERAND git diff HEAD:a HEAD:b
OPERAND git diff HEAD:src HEAD~1:src
OPERAND git diff HEAD^{blob}
OPERAND git diff abcd^{}
FLAG git diff-tree --stdin
OPERAND git diff-tree
FLAG git log --output=M
FLAG git log --ext-diff
FLAG git log -p --ext-diff
FLAG git log --textconv -p
FLAG git log --show-signature
FLAG git log --help
FLAG git log -h
FLAG git log --remerge-diff
FLAG git log --diff-merges=remerge
FLAG git log --alternate-refs
FLAG git log --stdin
FLAG git log --exec=x
FLAG git log --upload-pack=x
FLAG git log -L1,2:a.txt
FLAG git log --full-diff -p
FLAG git log --submodule
FLAG git log --end-of-options
FLAG git log --onelin
FLAG git log '--format=%x1b]52;c;AAAA%x07'
FLAG git log --format=%x00
FLAG git log --format=%GK
FLAG git log --format=%G?
FLAG git log --format=%h%GG
FLAG git log '--format=%(describe)'
FLAG git log '--format=%(trailers:separator=%x1b)'
FLAG git log '--format=%(trailers'
FLAG git log '--format=%C(always,red)x'
FLAG git log '--format=%C(red'
FLAG git log --format=%
FLAG git log --format=%+
FLAG git log --format=%q
FLAG git log --format=%a
FLAG git log --format=mine
FLAG git log --pretty=mine
FLAG git log --format
FLAG git log --format %H
FLAG git log --date=mine
FLAG git log -n
FLAG git log -n -5
FLAG git log -nx
FLAG git log -5x
FLAG git log -99999999999
FLAG git log --max-count=x
FLAG git log --since
FLAG git log --grep -p
FLAG git log --oneline=x
FLAG git log --follow -p -- src/a.go
FLAG git log --follow -S x src/a.go
PATH_OUTSIDE git log -- ../../etc
PATH_PROTECTED git log -p -- .env
PATH_PROTECTED git log .env
PATH_PROTECTED git log .env..
PATH_PROTECTED git blame a..pem
PATH_PROTECTED git blame x:y.pem
PATH_OUTSIDE git blame ../x:y
PATH_OUTSIDE git diff ..
PATH_OUTSIDE git diff ../..
PATH_OUTSIDE git log ../../x..
PATH_OUTSIDE git show ':/../x'
PATH_PROTECTED git show :/.env
PATH_PROTECTED git show :2:.env
PATH_OUTSIDE git show HEAD:a HEAD:../x
PATH_PROTECTED git show HEAD:.env
PATH_PROTECTED git show :.env
PATH_PROTECTED git show :0:.env
PATH_PROTECTED git show HEAD~3:conf/key.pem
PATH_PROTECTED git show HEAD:./sub/.env.local
PATH_OUTSIDE git show HEAD:../x
PATH_OUTSIDE git show HEAD:/etc/passwd
OPERAND git show abcd1234^{}
OPERAND git show abcd1234^{blob}
OPERAND git show HEAD^{object}
FLAG git show --ext-diff
FLAG git show --textconv HEAD
FLAG git show --output=x
FLAG git whatchanged --output=x
OPERAND git branch pwned
OPERAND git branch pwned HEAD~1
OPERAND git branch -v pwned
OPERAND git branch -r pwned
OPERAND git branch -q pwned
OPERAND git branch -- pwned
FLAG git branch -f victim HEAD~1
FLAG git branch -d x
FLAG git branch -D x
FLAG git branch -vd x
FLAG git branch -m a b
FLAG git branch -M b
FLAG git branch -c a b
FLAG git branch --set-upstream-to=victim
FLAG git branch -u origin/main
FLAG git branch --unset-upstream
FLAG git branch --edit-description
FLAG git branch --track x
FLAG git branch -t x y
FLAG git branch --create-reflog x
FLAG git branch --no-list x
FLAG git branch --no-merged -d x
FLAG git branch --recurse-submodules
FLAG git branch --merge
FLAG git branch --color=always
FLAG git branch --format=%1b
FLAG git branch --format='%(signature)'
FLAG git branch --format='%(describe)'
FLAG git branch --format='%(raw)'
FLAG git branch --format='%(refname'
FLAG git branch --sort=signature
FLAG git branch --sort=-raw
PATH_PROTECTED git branch --contains HEAD:.env
OPERAND git tag v1.0
OPERAND git tag v1.0 HEAD
OPERAND git tag -n v1.0
OPERAND git tag -n 5
FLAG git tag -a v1.0 -m x
FLAG git tag -d v1.0
FLAG git tag -v v1.0
FLAG git tag -s v1.0
FLAG git tag -f v1.0
FLAG git tag -F x v1.0
FLAG git tag --edit x
FLAG git tag -l -d x
OPERAND git remote add evil https://evil.invalid/x.git
FLAG git remote add -f p ext::sh
OPERAND git remote update
OPERAND git remote rm origin
OPERAND git remote remove origin
OPERAND git remote rename a b
OPERAND git remote set-url origin x
OPERAND git remote prune origin
FLAG git remote set-head origin -a
OPERAND git remote -v update
OPERAND git remote -v show origin
FLAG git remote show origin
FLAG git remote get-url --x origin
OPERAND git remote get-url
OPERAND git remote get-url a b
FLAG git rev-parse --parseopt
FLAG git rev-parse --sq-quote x
FLAG git rev-parse --exec-path
FLAG git rev-parse --resolve-git-dir /etc
FLAG git rev-parse --git-pat x
FLAG git rev-parse -n
PATH_PROTECTED git rev-parse HEAD:.env
FLAG git describe --broken
FLAG git describe --debug
FLAG git describe --exec=x
FLAG git ls-files --recurse-submodules
FLAG git ls-files -X file
FLAG git ls-files --exclude-from=file
FLAG git ls-files --exclude-per-directory=x
FLAG git ls-files --format=%x
PATH_OUTSIDE git ls-files ../x
FLAG git ls-tree --format=%x HEAD
OPERAND git ls-tree
FLAG git shortlog --format=%x1b HEAD
FLAG git shortlog --output=x HEAD
OPERAND git blame
FLAG git blame --contents=/etc/passwd a
FLAG git blame --contents /etc/passwd a
FLAG git blame -S file a
FLAG git blame --ignore-revs-file=x a
FLAG git blame --textconv a
FLAG git blame --color-lines a
FLAG git blame --help
PATH_PROTECTED git blame .env
PATH_PROTECTED git blame HEAD -- .env
PATH_OUTSIDE git blame ../x
FLAG git rev-list --stdin
FLAG git rev-list --use-bitmap-index HEAD
FLAG git rev-list --filter=x HEAD
FLAG git name-rev --stdin
FLAG git name-rev --annotate-stdin
FLAG git merge-base -x a b
OPERAND git stash list foo
FLAG git stash list -p
FLAG git stash list --patch
FLAG git stash list --textconv
COMMAND git reflog expire --all
COMMAND git reflog delete HEAD@{1}
COMMAND git reflog drop --all
FLAG git reflog -p
FLAG git reflog --expire=now
FLAG git for-each-ref --shell
FLAG git for-each-ref --format=%00
FLAG git for-each-ref --format='%(contents:x)%(signature:key)'
FLAG git for-each-ref --stdin
FLAG git show-ref --exclude-existing
OPERAND git symbolic-ref
OPERAND git symbolic-ref HEAD refs/heads/x
FLAG git symbolic-ref -d HEAD
FLAG git symbolic-ref -m x HEAD refs/heads/x
FLAG git symbolic-ref --delete HEAD
FLAG git count-objects -x
OPERAND git count-objects x
FLAG git grep -O foo
FLAG git grep -Oless foo
FLAG git grep --open-files-in-pager foo
FLAG git grep --open-files-in-pager=x foo
FLAG git grep -nO foo
FLAG git grep -f patterns
FLAG git grep --no-index foo
FLAG git grep --recurse-submodules foo
FLAG git grep --textconv foo
FLAG git grep --no-exclude-standard foo
FLAG git grep --ext-grep foo
FLAG git grep --color foo
PATH_OUTSIDE git grep foo -- ../x
PATH_OUTSIDE git grep foo /etc
PATH_PROTECTED git grep foo .env
PATH_PROTECTED git grep -e foo .env
PATH_PROTECTED git grep foo HEAD:.env
OPERAND git config
OPERAND git config user.name x
OPERAND git config get user.name
OPERAND git config core.sshCommand
OPERAND git config core.fsmonitor
OPERAND git config alias.x
OPERAND git config credential.helper
OPERAND git config http.extraheader
OPERAND git config url.x.insteadof
OPERAND git config remote.origin.uploadpack
OPERAND git config remote.url
OPERAND git config name
OPERAND git config --get user.name x
FLAG git config -l
FLAG git config --list
FLAG git config --global user.name
FLAG git config --system user.name
FLAG git config --file=x user.name
FLAG git config -f x user.name
FLAG git config --blob=HEAD:x user.name
FLAG git config --get-regexp remote
FLAG git config --unset user.name
FLAG git config --add user.name x
FLAG git config -e
FLAG git config --edit
FLAG git config --includes user.name
FLAG git config --type=path user.name
FLAG git check-ignore --stdin
PATH_OUTSIDE git check-ignore /etc/passwd
FLAG git check-attr --stdin
FLAG git cat-file -p HEAD
FLAG git cat-file --batch
FLAG git cat-file --textconv HEAD:a
FLAG git cat-file --filters HEAD:a
FLAG git cat-file HEAD
FLAG git cat-file -t -e HEAD
OPERAND git cat-file -t
OPERAND git cat-file -e blob HEAD
PATH_PROTECTED git cat-file -s HEAD:.env
FLAG git worktree list --expire=x
`
