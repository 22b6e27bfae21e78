//! The TLS provider of the process: ring, installed once.

use std::sync::Once;

static INSTALLED: Once = Once::new();

/// Sees to it that the process has a provider. One that is there already stays.
pub fn install_tls_provider() {
    INSTALLED.call_once(|| {
        if rustls::crypto::ring::default_provider()
            .install_default()
            .is_err()
        {
            tracing::debug!("the process has a TLS provider already");
        }
    });
}
