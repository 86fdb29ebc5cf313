#pragma once

#include <string>
#include <vector>

#include "mercer/file.hpp"

namespace mercer {

/// What a file's certificate is called: the first 16 digits of the SHA-256 that the file stores of it. Empty without
/// one.
std::string certificate_id(const EmbeddingFile& file);

/// How far the embedding's actions are from the network's, in a sentence.
std::string network_distance_sentence(const EmbeddingFile& file);

/// Who made the code, from which network, under which certificate, and whose it is: a sentence each.
std::vector<std::string> provenance_sentences(const EmbeddingFile& file);

}  // namespace mercer
