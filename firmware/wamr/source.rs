//! Empty: this package exists for its lock file, which pins WAMR (Cargo.toml).
