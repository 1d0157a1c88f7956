//! All tests of the crate's interface, in one program: arkworks is compiled for each program.
mod common;
mod excerpt;
mod field;
mod msm;
mod prove_and_verify;
mod zkey;
