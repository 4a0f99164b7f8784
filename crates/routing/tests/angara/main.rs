//! The Angara rules against the published numbers, an independent enumeration, and each other.

mod balanced;
mod enumerator;
mod rules;
mod systems;
