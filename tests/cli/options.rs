//! Every option has a test that would fail without the option.

use std::collections::BTreeSet;
use std::fs;

use nigh::cli::command;

use crate::harness::{each_way, once};
use crate::support::root::root;

/// The long name of each option, or its letter if it has no long name, and a test in this folder.
const TESTS: &[(&str, &str)] = &[
    ("--max-errors", "constraints::a_bound_names_the_kinds_of_edit"),
    ("--edits", "constraints::kinds_of_edit_have_limits_beside_the_total"),
    ("--transpositions", "constraints::swapped_neighbours_are_one_edit"),
    ("--exact-group", "constraints::a_group_holds_on_both_strands"),
    ("--overhang", "overhang::an_adapter_is_found_in_reads_that_end_inside_it"),
    ("--min-overlap", "overhang::some_symbols_are_not_beyond_an_end"),
    ("--bytes", "constraints::constraints_hold_for_bytes_ends_and_counts"),
    ("--hits", "hits::sequences_have_the_best_matches_whatever_the_batches"),
    ("--best", "best::the_best_lines_are_those_of_the_least_distance"),
    ("--cost", "lines::cost_is_the_least_distance_of_the_line"),
    ("-0", "options::digits_are_bounds"),
    ("--regexp", "cases::several_patterns_are_alternatives"),
    ("--near", "near::both_patterns_count_only_near_each_other"),
    ("--file", "patterns::patterns_in_columns_have_names_and_bounds"),
    ("--fixed-strings", "lines::literal_patterns_have_no_special_symbols"),
    ("--ignore-case", "lines::case_is_ignored_on_request"),
    ("--smart-case", "patterns::case_is_ignored_unless_a_pattern_has_upper_case"),
    ("--no-ignore-case", "patterns::case_is_ignored_unless_a_pattern_has_upper_case"),
    ("--word-regexp", "cases::whole_words_and_lines_may_have_edits"),
    ("--line-regexp", "cases::whole_words_and_lines_may_have_edits"),
    ("--within", "within::a_match_is_inside_a_range_of_its_line"),
    ("--invert-match", "lines::inverted_lines_are_those_without_a_match"),
    ("--fasta", "parts::invalid_fasta_fails_once_and_at_the_same_line_as_in_a_pipe"),
    ("--fastq", "fastq::records_of_fastq_have_coordinates_of_residues"),
    ("--circular", "circular::a_match_crosses_the_end_of_a_circle"),
    ("--ignore-gaps", "gaps::a_primer_is_found_in_an_aligned_sequence"),
    ("--protein", "sequences::amino_acids_have_one_strand_and_classes"),
    ("--strand", "sequences::the_reverse_strand_has_forward_coordinates"),
    ("--ambiguous", "ambiguous::a_letter_of_the_text_matches_what_it_can_stand_for"),
    ("--format", "formats::bed_has_six_columns_that_bedtools_finds_in_the_genome"),
    ("--columns", "tables::a_row_has_the_place_of_the_match_in_its_line"),
    ("--header", "sequences::a_hit_is_a_row_of_eight_columns"),
    ("--recursive", "folders::folders_are_searched_in_order_of_names"),
    ("--dereference-recursive", "folders::links_are_followed_if_named_or_with_dereference"),
    ("--include", "folders::names_include_and_exclude_and_the_last_rule_counts"),
    ("--exclude", "folders::names_include_and_exclude_and_the_last_rule_counts"),
    ("--exclude-from", "folders::names_include_and_exclude_and_the_last_rule_counts"),
    ("--exclude-dir", "folders::folders_are_searched_in_order_of_names"),
    ("--glob", "folders::globs_and_ignore_files_are_those_of_ripgrep"),
    ("--ignore-vcs", "folders::globs_and_ignore_files_are_those_of_ripgrep"),
    ("--text", "cases::a_binary_file_is_announced_and_printed_only_as_text"),
    ("-I", "cases::binary_files_are_skipped_on_request"),
    ("--binary-files", "cases::binary_files_are_skipped_on_request"),
    ("--no-decompress", "compressed::every_compression_is_recognised_by_its_first_bytes"),
    ("--ignore-ansi", "escapes::patterns_match_across_escape_sequences"),
    ("--record-start", "record_start::records_are_selected_printed_and_counted_as_a_whole"),
    ("--encoding", "encodings::an_encoding_can_be_named"),
    ("--null-data", "lines::lines_may_end_with_nul"),
    ("--crlf", "crlf::a_carriage_return_before_the_end_of_a_line_is_part_of_it"),
    ("--no-messages", "errors::a_missing_file_does_not_stop_the_others"),
    ("--count", "lines::counts_name_their_files_and_show_zeros"),
    ("--count-matches", "output::matches_are_counted_as_they_would_be_shown"),
    ("--max-hits", "library::the_first_hits_of_each_pattern_are_reported"),
    ("--files-with-matches", "lines::files_are_listed_with_and_without"),
    ("--files-without-match", "lines::files_are_listed_with_and_without"),
    ("--quiet", "lines::quiet_prints_nothing_and_sets_the_exit_status"),
    ("--max-count", "lines::inverted_lines_are_those_without_a_match"),
    ("--only-matching", "cases::the_match_shown_is_the_best_that_overlaps_it"),
    ("--byte-offset", "lines::fields_before_a_line_have_the_order_of_grep"),
    ("--line-number", "lines::fields_before_a_line_have_the_order_of_grep"),
    ("--column", "output::columns_are_between_line_numbers_and_offsets"),
    ("--vimgrep", "output::vimgrep_prints_a_line_for_each_match"),
    ("--json", "json::objects_are_those_of_ripgrep"),
    ("--stats", "stats::what_was_searched_is_counted"),
    ("--with-filename", "lines::fields_before_a_line_have_the_order_of_grep"),
    ("--no-filename", "lines::counts_name_their_files_and_show_zeros"),
    ("--after-context", "context::a_limit_ends_after_the_context_of_the_last_line"),
    ("--before-context", "context::context_of_lines_without_a_match"),
    ("--context", "context::context_of_files_is_separated"),
    ("--passthru", "output::all_lines_are_printed_on_request"),
    ("--group-separator", "context::context_surrounds_groups_of_lines"),
    ("--no-group-separator", "context::context_surrounds_groups_of_lines"),
    ("--null", "lines::fields_before_a_line_have_the_order_of_grep"),
    ("--initial-tab", "output::tabs_are_aligned"),
    ("--max-columns", "output::excerpts_of_long_lines_show_matches_and_the_text_around_them"),
    ("--replace", "replace::groups_of_a_match_with_edits_follow_its_alignment"),
    ("--trim", "output::white_space_at_the_start_of_lines_is_left_out"),
    ("--heading", "output::headings_are_above_the_lines_of_a_file"),
    ("--no-heading", "output::headings_are_above_the_lines_of_a_file"),
    ("--label", "best::the_best_of_a_stream_is_found_without_reading_it_twice"),
    ("--line-buffered", "pipes::each_line_is_written_alone_on_request"),
    ("--progress", "progress::progress_is_a_line_each_second_where_there_is_no_terminal"),
    ("--color", "lines::matches_are_coloured_in_their_lines"),
    ("--threads", "options::options_of_the_engine_are_in_its_plan"),
    ("--engine", "devices::without_a_driver_cuda_is_an_error_and_auto_is_silent"),
    ("--device", "devices::devices_are_chosen_by_number"),
    ("--batch-size", "options::options_of_the_engine_are_in_its_plan"),
    ("--shard", "shard::parts_are_of_nearly_the_same_length"),
    ("--memory", "memory::memory_is_divided_into_batches"),
    ("--debug", "options::options_of_the_engine_are_in_its_plan"),
    ("--extended-regexp", "habits::options_for_regular_expressions_are_accepted_if_equivalent"),
    ("--basic-regexp", "habits::options_for_regular_expressions_are_accepted_if_equivalent"),
    ("--perl-regexp", "habits::options_for_regular_expressions_are_accepted_if_equivalent"),
    ("--binary", "habits::options_that_are_the_default_change_nothing"),
    ("--hidden", "habits::options_that_are_the_default_change_nothing"),
    ("--decompress", "habits::options_that_are_the_default_change_nothing"),
    ("--unrestricted", "habits::options_that_are_the_default_change_nothing"),
    ("--no-line-number", "habits::options_that_are_the_default_change_nothing"),
    ("--no-color", "habits::options_that_are_the_default_change_nothing"),
    ("--directories", "habits::folders_and_devices_are_read_searched_or_skipped"),
    ("--devices", "habits::folders_and_devices_are_read_searched_or_skipped"),
    ("--no-config", "config_file::arguments_of_the_file_come_before_all_others"),
    ("-?", "errors::short_help_is_a_screenful"),
    ("--help", "errors::help_and_version_are_output"),
    ("--version", "errors::help_and_version_are_output"),
];

/// The long name of each option of `nigh-pcr`, and a test in this folder.
const TESTS_OF_PCR: &[(&str, &str)] = &[
    ("--primers", "pcr::primers_are_given_on_the_command_line"),
    ("--lengths", "pcr::a_product_is_a_row_of_each_format"),
    ("--pool", "pcr::a_pool_has_the_products_of_any_two_primers"),
    ("--circular", "pcr::a_product_crosses_the_end_of_a_circle"),
    ("--inner", "pcr::the_last_of_options_of_one_kind_applies"),
    ("--primer-bases", "pcr::the_last_of_options_of_one_kind_applies"),
    ("--max-errors", "pcr::a_letter_n_of_the_genome_is_an_edit"),
    ("--edits", "pcr::the_last_of_options_of_one_kind_applies"),
    ("--hits", "pcr::options_that_have_no_effect_are_refused"),
    ("--ambiguous", "pcr::a_letter_n_of_the_genome_is_an_edit"),
    ("--format", "pcr::a_product_is_a_row_of_each_format"),
    ("--header", "pcr::a_product_is_a_row_of_each_format"),
    ("--with-filename", "pcr::a_product_is_a_row_of_each_format"),
    ("--progress", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
    ("--color", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
    ("--threads", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
    ("--engine", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
    ("--device", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
    ("--batch-size", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
    ("--debug", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
    ("--version", "pcr::engines_progress_and_colours_are_chosen_as_in_nigh"),
];

/// Returns the source of a test, if it exists.
fn source(test: &str) -> Option<String> {
    let (file, name) = test.split_once("::")?;
    let text = fs::read_to_string(root().join("tests/cli").join(file).with_extension("rs")).ok()?;
    let (_, from) = text.split_once(&format!("#[test]\nfn {name}() {{\n"))?;
    Some(from.split("\n}\n").next()?.to_owned())
}

/// Returns whether a command line in the source of a test has an option.
fn uses(source: &str, name: &str, letter: Option<char>) -> bool {
    let words = source
        .split(|c: char| !c.is_ascii_alphanumeric() && !['-', '?'].contains(&c))
        .filter(|word| word.starts_with('-'));
    words.into_iter().any(|word| match word.strip_prefix("--") {
        Some(_) => word == name,
        None => letter.is_some_and(|letter| word.contains(letter)),
    })
}

#[test]
fn every_option_has_a_test() {
    check_tests(&command(), TESTS);
    check_tests(&nigh::cli::pcr::command(), TESTS_OF_PCR);
}

/// Checks that each option of a program has one of the tests, which uses the option.
fn check_tests(command: &clap::Command, tests: &[(&str, &str)]) {
    let mut options = BTreeSet::new();
    for arg in
        command.get_arguments().filter(|arg| !arg.is_positional() && (!arg.is_hide_set() || arg.get_long().is_some()))
    {
        let name = match (arg.get_long(), arg.get_short()) {
            (Some(long), _) => format!("--{long}"),
            (None, letter) => format!("-{}", letter.unwrap()),
        };
        let (_, test) =
            tests.iter().find(|(option, _)| *option == name).unwrap_or_else(|| panic!("the option {name} has no test"));
        let source = source(test).unwrap_or_else(|| panic!("{name}: there is no test {test}"));
        assert!(uses(&source, &name, arg.get_short()), "the test {test} does not use the option {name}");
        options.insert(name);
    }
    assert_eq!(options.len(), tests.len(), "the tests must have each option once, and nothing else");
}

#[test]
fn digits_are_bounds() {
    each_way(|nigh| {
        nigh.write("t", "abcdefghijkl\nabcdefghijkx\nxxxxxxxxxjkl\n");
        nigh.prints("-0 abcdefghijkl t", "abcdefghijkl\n");
        nigh.prints("-1 abcdefghijkl t", "abcdefghijkl\nabcdefghijkx\n");
        nigh.prints("-9 abcdefghijkl t", "abcdefghijkl\nabcdefghijkx\nxxxxxxxxxjkl\n");
        nigh.prints("-8 -0 -c abcdefghijkl t", "1\n");
        for digit in 2..=8 {
            nigh.prints(&format!("-c{digit} abcdefghijkl t"), "2\n");
        }
    });
}

#[test]
fn a_number_of_several_digits_needs_k() {
    once(|nigh| {
        nigh.write("t", "abcdefghijkl -12\nx\n");
        let run = nigh.fails("-12 abcdefghijkl t", "nigh: invalid option '-12': only -0 to -9 set the number of edits");
        assert!(run.stderr.contains("; use '-k 12', or '-C 12' for lines of context\n"), "{}", run.stderr);
        nigh.fails("abcdefghijkl t -10", "invalid option '-10'");
        nigh.fails("-in10 abcdefghijkl t", "invalid option '-10'");
        nigh.fails("-c12k3 abcdefghijkl t", "invalid option '-12'");
        // The word after a letter that takes a value is that value. Words after a double dash are not options.
        for good in ["-0C10", "-0 -C 10", "-k0 -A10 -m 10", "-0m10", "-0 --max-count 10", "-1 -0"] {
            nigh.prints(&format!("-o {good} abcdefghijkl t"), "abcdefghijkl\n");
        }
        nigh.prints("-0c -e -12 t", "1\n");
        nigh.prints("-0c -- -12 t", "1\n");
        nigh.prints("-0cie -12 t", "1\n");
    });
}

#[test]
fn letters_behind_a_number_are_kinds_of_edit_only_with_k() {
    once(|nigh| {
        nigh.write("t", "DEADLOK\ndeadllock\n");
        nigh.prints("-k2i deadlock t", "deadllock\n");
        nigh.prints("-ik2 deadlock t", "DEADLOK\ndeadllock\n");
        nigh.prints("-2i deadlock t", "DEADLOK\ndeadllock\n");
    });
}

#[test]
fn options_of_the_engine_are_in_its_plan() {
    once(|nigh| {
        nigh.write("t", "abc\n");
        let said = |arguments: &str| nigh.run(&format!("--engine cpu {arguments} -k1 abc t")).stderr;
        assert_eq!(said(""), "");
        let (three, five) = (said("--debug -j3"), said("--debug --threads 5"));
        assert!(three.contains("3 workers") && five.contains("5 workers"), "{three}{five}");
        let run = nigh.run("--batch-size 0 abc t");
        assert!(run.stderr.contains("--batch-size") && run.status == Some(2), "{}", run.stderr);
    });
}
