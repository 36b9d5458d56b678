//! Bounds of memory, and sizes.

use crate::harness::once;

#[test]
fn memory_is_divided_into_batches() {
    once(|nigh| {
        let text: String = (0..60_000).map(|number| format!("line {number} with abc\n")).collect();
        nigh.write("t", &text);
        let expected = nigh.run("-k1 -n --engine cpu abd t").stdout;
        assert!(expected.len() > text.len());
        for memory in [
            "--memory 128K",
            "--memory 1M -j4",
            "--memory 200k -j8",
            "--memory=1G",
            "--memory 2000 --batch-size 1000 -j3",
            "--batch-size 1K",
        ] {
            let run = nigh.run(&format!("-k1 -n --engine cpu {memory} abd t"));
            assert!(run.stdout == expected && run.stderr.is_empty(), "{memory}: {}", run.stderr);
        }
        nigh.fails("--memory 100K abc t", "--memory 102400 is too little: two batches of 65536 bytes are needed");
        nigh.fails("--memory 1999 --batch-size 1000 abc t", "--memory 1999 is too little");
        nigh.fails("--memory 1X abc t", "a number of bytes is wanted");
        nigh.fails("--memory 99999999999G abc t", "a number of bytes is wanted");
        nigh.fails("--batch-size 0 abc t", "a batch has 1 byte to 1G");
        nigh.fails("--batch-size 2G abc t", "a batch has 1 byte to 1G");
    });
}
