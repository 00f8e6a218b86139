"""Where drafts come from: each proposer takes the cloud and the pool and yields batches of drafts.

A new one is a file here, and a line in :data:`pie.search.plus.PROPOSERS`.
"""
