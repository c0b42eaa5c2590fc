module github.com/vadehq/vade

go 1.26
