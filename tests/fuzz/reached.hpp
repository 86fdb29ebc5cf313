#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

/// How far the inputs of a fuzzer came. One whose inputs no longer get past the first check finds nothing and looks
/// clean, so at the end of the process they are counted: "fuzz_npz: 1234 inputs were arrays". With fewer than the
/// number in FUZZ_LEAST the process fails.
///
/// `more` adds to the line at the end; what it refers to must still be there then.
void count_reached(const char* fuzzer, const char* what, std::function<std::string()> more = {});
/// An input got past the first check. The latest ones are kept for `fuzz_mutate` to start from: most inputs that reach
/// something new are refused, and what comes of them is, too.
void reached(std::span<const std::uint8_t> input);
/// Those that are kept, at most 256.
const std::vector<std::string>& kept_inputs();
