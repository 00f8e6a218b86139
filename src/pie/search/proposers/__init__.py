"""Proposers: settings, cloud, pool → batches of drafts; :data:`pie.search.plus.PROPOSERS`."""
