.PHONY: repro test
repro: ; python3 tools/run.py repro
test:  ; python3 tools/run.py test
