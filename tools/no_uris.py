"""Imported before nbformat: jsonschema then leaves the format of URIs unchecked.

Its check compiles a grammar when it is imported: 1.3 s, nearly half of what a stage of the pipeline
needs for its imports (`python -X importtime -c "import nbformat"`). No notebook has a URI to check.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)
