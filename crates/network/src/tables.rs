//! Routing tables (placeholder).
