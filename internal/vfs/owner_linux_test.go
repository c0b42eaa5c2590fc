package vfs

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestAccessList grants an ordinary user write access with an access control
// list, and checks that the group bits are not attributed to root's group.
func TestAccessList(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root has directories of root")
	}
	dir := filepath.Join(t.TempDir(), "d")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o775); err != nil {
		t.Fatal(err)
	}
	if err := SystemOnly(dir); err != nil {
		t.Fatalf("root's group may write: %v", err)
	}
	// Owner rwx, user 12345 rwx, group r-x, mask rwx, others r-x.
	list := binary.LittleEndian.AppendUint32(nil, 2)
	for _, e := range [][3]uint32{{1, 7, ^uint32(0)}, {2, 7, 12345}, {4, 5, ^uint32(0)}, {16, 7, ^uint32(0)}, {32, 5, ^uint32(0)}} {
		list = binary.LittleEndian.AppendUint16(list, uint16(e[0]))
		list = binary.LittleEndian.AppendUint16(list, uint16(e[1]))
		list = binary.LittleEndian.AppendUint32(list, e[2])
	}
	if err := unix.Setxattr(dir, "system.posix_acl_access", list, 0); err != nil {
		t.Skipf("no access lists here: %v", err)
	}
	if err := SystemOnly(dir); err == nil || !strings.Contains(err.Error(), "writable by its group") {
		t.Errorf("user 12345 may write: %v", err)
	}
}
