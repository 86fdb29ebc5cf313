#include <algorithm>
#include <cmath>
#include <cstdlib>

#include <fmt/format.h>

#include "measure/behaviour_json.hpp"
#include "measure/certificate_words.hpp"
#include "measure/check_sample.hpp"
#include "mercer/certificate.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

// Where the two distribution functions are listed: these quantiles of both samples together.
constexpr double shares[] = {0, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.98, 0.99, 1};

// What is printed is what the shares are about: a return that was rounded for print alone could have passed others.
double as_printed(double x) { return std::strtod(rounded_up(x).c_str(), nullptr); }

double share_up_to(const std::vector<double>& sorted, double x) {
  return static_cast<double>(std::ranges::upper_bound(sorted, x) - sorted.begin()) / static_cast<double>(sorted.size());
}

// A share with the band around it, rounded outwards.
std::string cell(double share, double band) {
  const auto percent = [](double value) { return fmt::format("{:.2f}%", value / 100); };
  return fmt::format("{:.2f}% ({} .. {})", 100 * share, percent(std::floor(1e4 * std::max(0.0, share - band))),
                     percent(std::ceil(1e4 * std::min(1.0, share + band))));
}

}  // namespace

double dkw_band(std::size_t n, double delta) {
  check_delta(delta);
  require_in_range("the number of returns", static_cast<double>(n), 1, 1e15, "Give at least one");
  return std::min(1.0, std::sqrt(std::log(2 / delta) / (2 * static_cast<double>(n))));
}

ReturnDistribution return_distribution(std::span<const double> teacher, std::span<const double> embedding, double delta,
                                       std::size_t look) {
  check_delta(delta);
  require_in_range("the look", static_cast<double>(look), 0, 1e6, "Count the looks from 1; 0: the only one");
  if (teacher.empty() || teacher.size() != embedding.size()) {
    throw Error(ErrorCode::shape_mismatch, fmt::format("{} and {} returns", teacher.size(), embedding.size()),
                "Give as many of each, at least one");
  }
  const double spent = look == 0 ? delta : delta / (static_cast<double>(look) * static_cast<double>(look + 1));
  std::vector<double> first(teacher.begin(), teacher.end()), second(embedding.begin(), embedding.end()), both = first;
  both.insert(both.end(), second.begin(), second.end());
  for (std::vector<double>* returns : {&first, &second, &both}) std::ranges::sort(*returns);
  ReturnDistribution out;
  out.band = dkw_band(first.size(), spent / 2);
  out.episodes = first.size();
  for (const double share : shares) {
    const auto place = std::ceil(share * static_cast<double>(both.size()));
    const double x = as_printed(both[static_cast<std::size_t>(std::max(1.0, place)) - 1]);
    if (!out.returns.empty() && x == out.returns.back()) continue;
    out.returns.push_back(x);
    out.teacher.push_back(share_up_to(first, x));
    out.embedding.push_back(share_up_to(second, x));
  }
  return out;
}

nlohmann::ordered_json to_json(const ReturnDistribution& distribution) {
  return {{"confidence", distribution.confidence}, {"band", distribution.band},
          {"episodes", distribution.episodes},     {"returns", distribution.returns},
          {"teacher", distribution.teacher},       {"embedding", distribution.embedding}};
}

ReturnDistribution distribution_from_json(const nlohmann::json& document) {
  ReturnDistribution out;
  document.at("confidence").get_to(out.confidence);
  document.at("band").get_to(out.band);
  document.at("episodes").get_to(out.episodes);
  document.at("returns").get_to(out.returns);
  document.at("teacher").get_to(out.teacher);
  document.at("embedding").get_to(out.embedding);
  return out;
}

std::string distribution_table(const ReturnDistribution& distribution) {
  std::string text = fmt::format(
      "share of episodes, guaranteed with {} confidence for both policies and all returns together\n{:<28} {:>28} "
      "{:>28}\n",
      confidence_down(distribution.confidence), "return at most", "teacher", "embedding");
  for (std::size_t i = 0; i < distribution.returns.size(); ++i) {
    text += fmt::format("{:<28.6g} {:>28} {:>28}\n", distribution.returns[i],
                        cell(distribution.teacher[i], distribution.band),
                        cell(distribution.embedding[i], distribution.band));
  }
  return text;
}

}  // namespace mercer
