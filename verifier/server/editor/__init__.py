"""The language server: what an editor shows of modules, configurations, protocols and manifests."""
