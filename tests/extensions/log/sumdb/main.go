// Verifies the log of a site with the code of Go's checksum database, golang.org/x/mod/sumdb.
//
//	sumdb FOLDER KEY [SIZE ROOT]
//
// The checkpoint is signed with KEY; every entry is in its tree, whose root follows from the entries; every .tlog-proof
// holds; and the tree continues the one of SIZE and ROOT (base64). Prints the size and the root.
package main

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"golang.org/x/mod/sumdb/note"
	"golang.org/x/mod/sumdb/tlog"
)

const (
	height = 8
	width  = 1 << height
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	folder := filepath.Join(arguments[0], "log")
	verifier, err := note.NewVerifier(arguments[1])
	if err != nil {
		return err
	}
	body, err := os.ReadFile(filepath.Join(folder, "checkpoint"))
	if err != nil {
		return err
	}
	tree, err := checkpoint(body, verifier)
	if err != nil {
		return err
	}
	reader := tlog.TileHashReader(tree, tiles{folder})
	entries, err := readEntries(folder, tree.N)
	if err != nil {
		return err
	}
	if err := checkEntries(entries, tree, reader); err != nil {
		return err
	}
	if len(arguments) > 2 {
		if err := checkGrowth(arguments[2], arguments[3], tree, reader); err != nil {
			return err
		}
	}
	proofs, err := checkProofs(folder, verifier)
	if err != nil {
		return err
	}
	fmt.Printf("%d %s, %d proofs\n", tree.N, tree.Hash, proofs)
	return nil
}

func checkpoint(body []byte, verifier note.Verifier) (tlog.Tree, error) {
	opened, err := note.Open(body, note.VerifierList(verifier))
	if err != nil {
		return tlog.Tree{}, err
	}
	lines := strings.Split(opened.Text, "\n")
	if len(lines) != 4 || lines[0] != verifier.Name() {
		return tlog.Tree{}, fmt.Errorf("this is no checkpoint of %s: %q", verifier.Name(), opened.Text)
	}
	size, err := strconv.ParseInt(lines[1], 10, 64)
	if err != nil {
		return tlog.Tree{}, err
	}
	root, err := tlog.ParseHash(lines[2])
	return tlog.Tree{N: size, Hash: root}, err
}

// tiles reads the tiles of c2sp.org/tlog-tiles, whose paths have no height.
type tiles struct{ folder string }

func (t tiles) Height() int { return height }

func (t tiles) ReadTiles(wanted []tlog.Tile) ([][]byte, error) {
	bodies := make([][]byte, len(wanted))
	for number, tile := range wanted {
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/", height), "tile/", 1)
		body, err := os.ReadFile(filepath.Join(t.folder, path))
		if err != nil {
			return nil, err
		}
		bodies[number] = body
	}
	return bodies, nil
}

func (t tiles) SaveTiles([]tlog.Tile, [][]byte) {}

func readEntries(folder string, size int64) ([][]byte, error) {
	var entries [][]byte
	for int64(len(entries)) < size {
		tile := tlog.Tile{H: height, L: 0, N: int64(len(entries)) / width, W: width}
		if left := size - int64(len(entries)); left < width {
			tile.W = int(left)
		}
		path := strings.Replace(tile.Path(), fmt.Sprintf("tile/%d/0/", height), "tile/entries/", 1)
		body, err := os.ReadFile(filepath.Join(folder, path))
		if err != nil {
			return nil, err
		}
		count := 0
		for ; len(body) > 0; count++ {
			if len(body) < 2 || len(body) < 2+int(binary.BigEndian.Uint16(body)) {
				return nil, fmt.Errorf("%s ends within an entry", path)
			}
			length := int(binary.BigEndian.Uint16(body))
			entries = append(entries, body[2:2+length])
			body = body[2+length:]
		}
		if count != tile.W {
			return nil, fmt.Errorf("%s has %d entries instead of %d", path, count, tile.W)
		}
	}
	return entries, nil
}

func checkEntries(entries [][]byte, tree tlog.Tree, reader tlog.HashReader) error {
	var stored hashes
	for number, entry := range entries {
		proof, err := tlog.ProveRecord(tree.N, int64(number), reader)
		if err != nil {
			return err
		}
		if err := tlog.CheckRecord(proof, tree.N, tree.Hash, int64(number), tlog.RecordHash(entry)); err != nil {
			return fmt.Errorf("entry %d: %w", number, err)
		}
		more, err := tlog.StoredHashes(int64(number), entry, stored)
		if err != nil {
			return err
		}
		stored = append(stored, more...)
	}
	root, err := tlog.TreeHash(tree.N, stored)
	if err != nil {
		return err
	}
	if root != tree.Hash {
		return fmt.Errorf("the entries have the root %s, and the checkpoint has %s", root, tree.Hash)
	}
	return nil
}

type hashes []tlog.Hash

func (h hashes) ReadHashes(indexes []int64) ([]tlog.Hash, error) {
	read := make([]tlog.Hash, len(indexes))
	for number, index := range indexes {
		read[number] = h[index]
	}
	return read, nil
}

func checkGrowth(size, root string, tree tlog.Tree, reader tlog.HashReader) error {
	earlier, err := strconv.ParseInt(size, 10, 64)
	if err != nil {
		return err
	}
	hash, err := tlog.ParseHash(root)
	if err != nil {
		return err
	}
	proof, err := tlog.ProveTree(tree.N, earlier, reader)
	if err != nil {
		return err
	}
	return tlog.CheckTree(proof, tree.N, tree.Hash, earlier, hash)
}

func checkProofs(folder string, verifier note.Verifier) (int, error) {
	count := 0
	err := filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, ".tlog-proof") {
			return err
		}
		count++
		body, err := os.ReadFile(path)
		if err == nil {
			err = checkProof(body, verifier)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		return nil
	})
	return count, err
}

func checkProof(body []byte, verifier note.Verifier) error {
	head, signed, found := bytes.Cut(body, []byte("\n\n"))
	lines := strings.Split(string(head), "\n")
	if !found || len(lines) < 3 || lines[0] != "c2sp.org/tlog-proof@v1" {
		return fmt.Errorf("this is no proof")
	}
	tree, err := checkpoint(signed, verifier)
	if err != nil {
		return err
	}
	entry, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(lines[1], "extra "))
	if err != nil {
		return err
	}
	number, err := strconv.ParseInt(strings.TrimPrefix(lines[2], "index "), 10, 64)
	if err != nil {
		return err
	}
	var proof tlog.RecordProof
	for _, line := range lines[3:] {
		hash, err := tlog.ParseHash(line)
		if err != nil {
			return err
		}
		proof = append(proof, hash)
	}
	return tlog.CheckRecord(proof, tree.N, tree.Hash, number, tlog.RecordHash(entry))
}
