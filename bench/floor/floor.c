/*
 * Floor does the minimum that any program must do to read the heads of all skills in a
 * directory: it opens DIR/NAME/SKILL.md for each NAME in directory order, reads the first
 * 4 KiB, and prints the number of files. It is in a separate directory because the go
 * command rejects C files next to Go files when cgo is disabled.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char **argv) {
	static char head[4096];
	char name[4096];
	struct dirent *entry;
	int count = 0;

	if (argc != 2) {
		fputs("usage: floor DIR\n", stderr);
		return 2;
	}
	DIR *dir = opendir(argv[1]);
	if (dir == NULL) {
		perror(argv[1]);
		return 1;
	}
	while ((entry = readdir(dir)) != NULL) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		snprintf(name, sizeof name, "%s/SKILL.md", entry->d_name);
		int file = openat(dirfd(dir), name, O_RDONLY);
		if (file < 0 || read(file, head, sizeof head) < 0) {
			perror(name);
			return 1;
		}
		close(file);
		count++;
	}
	closedir(dir);
	printf("%d\n", count);
	return 0;
}
