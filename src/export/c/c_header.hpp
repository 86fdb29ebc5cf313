#pragma once

#include "export/common/head.hpp"

namespace mercer {

/// What the comment at the top of NAME.h tells, beside the contract.
struct HeaderFacts {
  std::string what;                ///< the embedding in one line
  std::string computation;         ///< how actions come about, in one or two sentences
  std::string beyond;              ///< what happens to observations outside their range
  std::string weights = "logits";  ///< what a discrete action is chosen by
};

/// NAME.h, NAME.c and main.c around a body.
CExport assemble(const EmbeddingFile& file, const COptions& options, const ControllerInterface& outside,
                 const HeaderFacts& facts, CBody body);

/// Lines of at most 100 characters that begin with " * ".
std::string comment_lines(const std::string& text);

/// "On 1000 episodes ... lost 0.3%. With 95% confidence ... at most 1%.": two sentences.
std::string certificate_sentences(const EmbeddingFile& file);

}  // namespace mercer
