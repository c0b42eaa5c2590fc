package coreutils

import "testing"

func TestSortAsGNU(t *testing.T) {
	files := map[string]string{
		"w":    "pear\nApple\nbanana\napple\nBanana\n_x\n10\n9\n\näpfel\n",
		"n":    "10\n9\n-3\n2.5\n002.5\n\nabc\n+4\n1e3\n -7\n.5\n-0\n0\n",
		"h":    "1K\n2M\n512\n1.5K\n3G\n-1K\n-2M\n0\n1k\n10\n",
		"v":    "file10.txt\nfile9.txt\nfile1.tar.gz\nfile1.txt\n1.10.0\n1.9.2\n1.9.2-rc1\n1.9.2~rc1\n.hidden\n.\n..\nv2\nv10\na\na.b\n",
		"m":    "mar\nJAN\nfeb\nfoo\nDec\n  Nov\n",
		"k":    "b 2 x\na 10 y\nc 2 a\na 2 z\n  d 1 q\n",
		"csv":  "bob,3,x\nann,20,y\nann,3,z\n,1,\nzed\n",
		"dup":  "b\na\nB\nb\nA\na\n",
		"g":    "1e3\n5\n-2e1\ninf\nnan\nabc\n0x10\n.5\n",
		"dict": "a-b\nab\na b\na_c\nAb\n",
		"ok":   "a\nb\nb\nc\n",
		"nonl": "b\na",
	}
	compareGNU(t, files, with("z\ny\nx\n",
		"sort w", "sort -r w", "sort -f w", "sort -n n", "sort -rn n", "sort -nu n", "sort -h h", "sort -rh h", "sort -V v", "sort -rV v", "sort -M m", "sort -g g", "sort -u dup", "sort -fu dup", "sort -s -f dup", "sort -ru dup", "sort -b k", "sort -d dict", "sort -df dict", "sort -i w",
		"sort -k2 k", "sort -k2n k", "sort -k2,2n k", "sort -k2,2n -k1,1 k", "sort -k 2,2nr -k1 k", "sort -k1,1 -k2,2n k", "sort -k1.2 k", "sort -k1b,1 k", "sort -bk1,1 k", "sort -k3 k", "sort -k3,3r k", "sort -t, -k2n csv", "sort -t, -k1,1 -k2,2n csv", "sort -t , -k 2 csv", "sort -t, -k2,2 csv", "sort -t, -k3 csv", "sort -s -k2,2 k", "sort -n -k2 k", "sort -r -k2,2n k", "sort -u -k1,1 csv", "sort -u -t, -k1,1 csv", "sort -k1.1,1.1 k", "sort -k2.2b,2.3b k", "sort -k1,1.2 k", "sort -t, -k2.1,2.1 csv", "sort -t' ' -k2 k", "sort -k5 k", "sort -k2,1 k", "sort -t: -k2 k",
		"sort -c ok", "sort -c w", "sort -C w", "sort -cu ok", "sort -c n", "sort -cn n", "sort --check=quiet w", "sort --check w", "sort -z w", "sort nonl", "sort w n", "sort", "sort - ok", "sort missing", "sort ok missing", "sort --reverse --numeric-sort n", "sort --key=2 k", "sort --sort=version v", "sort --unique dup", "sort -c missing", "sort -c -r ok", "sort -k2V v", "sort -k1,1h h", "sort -k1,1M m", "sort -nr -k2 k", "sort -t '\\0' -k1 k"))
	refuses(t, "sort -o out a", "sort --output=out a", "sort -T /tmp a", "sort --compress-program=gzip a", "sort --files0-from=x", "sort -S 1M a", "sort -R a", "sort -m a b", "sort -k0 a", "sort -k a", "sort -k1.0 a", "sort -k1x a", "sort -t ab a", "sort -nM a", "sort -c a b", "sort --random-source=x a", "sort --parallel=4 a", "sort -k1R a", "sort -oout a", "sort -no out a", "sort --debug a")
}
