"""The table of URLs as the edge module has it.

python tests/edge_table.py        writes src/statuary/edge/served-as.js again
"""

from pathlib import Path

from statuary.documents.hosting.served_as_js import served_as_js

SERVED_AS = Path(__file__).parents[2] / "src" / "statuary" / "edge" / "served-as.js"

if __name__ == "__main__":
    SERVED_AS.write_text(served_as_js(), encoding="utf-8", newline="\n")
