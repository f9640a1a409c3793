"""What exists: models, accelerators, deployments, workloads. Frozen data, no arithmetic beyond counting."""
