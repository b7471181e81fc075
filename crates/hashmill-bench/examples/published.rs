//! Measures the kernels that published comparisons timed, taking turns on 16 KiB, and prints cycles per byte as JSON.
//! Run by `bench/reproduce.py`.

use hashmill::Algorithm;
use hashmill_measure::paired::{Plan, Side, core_clock, rotate};
use hashmill_measure::{random::noise, stats::Summary};
use hashmill_peers::published::{crc32_bytewise, crc32_unrolled, crc32c_instruction};
use serde_json::{Map, json};
use std::error::Error;
use std::hint::black_box;

/// Computes a checksum of a message. Returns `None` if this CPU cannot.
type Loop = fn(&[u8]) -> Option<u32>;

fn main() -> Result<(), Box<dyn Error>> {
    // Without a pattern, which would determine the table entries that are looked up.
    let data = noise(16384);
    let bytes = data.len() as f64;
    let mut names: Vec<String> = Vec::new();
    // The core's clock takes turns with the others, because it does not stand still.
    let mut sides = vec![core_clock()];
    let loops: [(&str, Loop); 3] = [
        ("crc32 bytewise", |m| Some(crc32_bytewise(m))),
        ("crc32 unrolled", |m| Some(crc32_unrolled(m))),
        ("crc32c instruction", crc32c_instruction),
    ];
    for (name, run) in loops.into_iter().filter(|l| l.1(&data).is_some()) {
        names.push(name.into());
        let data = &data;
        sides.push(Side::new(bytes, move |times| {
            for _ in 0..times {
                black_box(run(black_box(data)));
            }
        }));
    }
    for name in ["crc32", "crc32c", "md5", "sha1", "md2"] {
        let a: Algorithm = name.parse()?;
        let best = a.kernels().into_iter().find(|k| k.active).map_or("portable", |k| k.name);
        let has = |name: &str| a.kernels().iter().any(|k| k.name == name);
        let mut kernels = vec!["portable"];
        kernels.extend(["slicing8", best].into_iter().filter(|k| *k != "portable" && has(k)));
        for kernel in kernels {
            let a = a.with_kernel(kernel)?;
            names.push(format!("{name} {kernel}"));
            let data = &data;
            let mut out = vec![0; a.algorithm().digest_len()];
            sides.push(Side::new(bytes, move |times| {
                for _ in 0..times {
                    // This cannot fail, because the buffer has the digest's length.
                    let _ = a.digest_into(black_box(data), &mut out);
                    black_box(&mut out);
                }
            }));
        }
    }
    let rotation = rotate(&mut sides, &Plan { pairs: 60, ..Plan::default() }).ok_or("interrupted")?;
    let mut kernels = Map::new();
    for (i, name) in names.iter().enumerate() {
        kernels.insert(name.clone(), json!(Summary::of(&rotation.ratios(0, i + 1))));
    }
    let hertz = rotation.summary(0).ok_or("nothing measured")?.median;
    println!("{:#}", json!({ "core_hertz": hertz, "cycles_per_byte": kernels }));
    Ok(())
}
