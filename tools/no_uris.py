"""Imported before nbformat: jsonschema then leaves the format of URIs unchecked.

Its check compiles a grammar when it is imported, which takes longer (1.3 s) than all else that a
stage of the pipeline imports. No notebook has a URI to check.
"""

import sys

sys.modules.setdefault("rfc3987_syntax", None)
