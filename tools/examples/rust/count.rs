//! Count the tokens of standard input: count MODEL.wwho < TEXT
//! rustc -O count.rs -L "$(pkg-config --variable=libdir wwho)"

use std::ffi::{c_char, c_int, c_void, CStr};
use std::io::Read;
use std::process::ExitCode;
use std::{env, fs, io, ptr};

/// `wwho_job` of wwho.h: the memory, the request and the result of an encoding.
#[repr(C)]
struct Job {
    scratch: *mut c_void,
    scratch_len: usize,
    ids: *mut u32,
    starts: *mut u32,
    ends: *mut u32,
    cap: usize,
    spans: *mut c_void,
    spans_cap: usize,
    bounds: *const u32,
    rows: *mut u32,
    n_texts: usize,
    flags: u32,
    place: u32,
    n: usize,
    n_spans: usize,
    read: usize,
}

#[link(name = "wwho")]
extern "C" {
    fn wwho_status_str(status: c_int) -> *const c_char;
    fn wwho_workspace_size(blob: *const u8, len: usize, size: *mut usize) -> c_int;
    fn wwho_open(blob: *const u8, len: usize, work: *mut c_void, work_len: usize, model: *mut *const c_void) -> c_int;
    fn wwho_scratch_size(model: *const c_void) -> usize;
    fn wwho_encode(model: *const c_void, text: *const u8, len: usize, allowed: *const u8, job: *mut Job) -> c_int;
}

const OK: c_int = 0;

/// Memory of at least so many bytes, all zero, at an address that is a multiple of 16.
fn aligned(len: usize) -> Vec<u128> {
    vec![0; len / 16 + 1]
}

fn require(status: c_int) -> Result<(), String> {
    if status == OK {
        return Ok(());
    }
    // SAFETY: the core returns a static string for every number.
    Err(unsafe { CStr::from_ptr(wwho_status_str(status)) }.to_string_lossy().into_owned())
}

/// An artifact, opened: the model points into both buffers, so they live as long as it does.
struct Model {
    _blob: Vec<u128>,
    _work: Vec<u128>,
    model: *const c_void,
}

impl Model {
    fn open(bytes: &[u8]) -> Result<Model, String> {
        let mut blob = aligned(bytes.len());
        let (mut size, mut model) = (0, ptr::null());
        // SAFETY: the buffers are as long and as aligned as wwho.h asks.
        unsafe {
            ptr::copy_nonoverlapping(bytes.as_ptr(), blob.as_mut_ptr().cast(), bytes.len());
            require(wwho_workspace_size(blob.as_ptr().cast(), bytes.len(), &mut size))?;
            let mut work = aligned(size);
            require(wwho_open(blob.as_ptr().cast(), bytes.len(), work.as_mut_ptr().cast(), size, &mut model))?;
            Ok(Model { _blob: blob, _work: work, model })
        }
    }

    fn encode(&self, text: &[u8]) -> Result<Vec<u32>, String> {
        let mut ids = vec![0u32; text.len() * 4 + 16];
        // SAFETY: a job of zeros asks for nothing, and each pointer set below lives until the end.
        unsafe {
            let mut job: Job = std::mem::zeroed();
            let mut scratch = aligned(wwho_scratch_size(self.model));
            job.scratch = scratch.as_mut_ptr().cast();
            job.scratch_len = wwho_scratch_size(self.model);
            job.ids = ids.as_mut_ptr();
            job.cap = ids.len();
            require(wwho_encode(self.model, text.as_ptr(), text.len(), ptr::null(), &mut job))?;
            ids.truncate(job.n);
        }
        Ok(ids)
    }
}

fn main() -> ExitCode {
    let Some(path) = env::args().nth(1) else {
        eprintln!("usage: count MODEL.wwho < TEXT");
        return ExitCode::from(2);
    };
    let run = || -> Result<usize, String> {
        let mut text = Vec::new();
        io::stdin().read_to_end(&mut text).map_err(|error| error.to_string())?;
        let bytes = fs::read(&path).map_err(|error| error.to_string())?;
        Ok(Model::open(&bytes)?.encode(&text)?.len())
    };
    match run() {
        Ok(n) => println!("{n}"),
        Err(error) => {
            eprintln!("{path}: {error}");
            return ExitCode::FAILURE;
        }
    }
    ExitCode::SUCCESS
}
