#include <algorithm>
#include <cmath>

#include "paper/rules/rules.hpp"

namespace mercer::paper {

// One run of times: no seeds. Slopes are those of regressions.
Rules complexity_rules(const Tables& tables) {
  const Rows all(tables.at("times"));
  const double largest = all.most("rows");
  const auto method = [&](const char* name) { return all.where("method", name); };
  const Rows fft = method("fft"), dwt = method("dwt"), svd = method("svd"), rank8 = svd.where("k", 8.0),
             tall = svd.where("rows", largest), gmm = method("gmm");
  double should = 0, not_faster = 0, most_k = 0;
  for (const double rows : fft.distinct("rows")) {
    const double limit = std::log(rows * all.mean("columns")), other = fft.where("rows", rows).mean("seconds");
    for (const double k : svd.distinct("k")) {
      const bool faster = svd.where("rows", rows).where("k", k).mean("seconds") < other;
      if (k < limit) ++should, not_faster += !faster;
      if (rows == largest && faster) most_k = std::max(most_k, k);
    }
  }
  const auto shared = [&](const Rows& rows) { return rows.where("rows", gmm.most("rows")).most("seconds"); };
  const Rows draws(tables.at("sampling"));
  const auto draw = [&](const char* bins) { return draws.where("bins", bins).mean("nanoseconds"); };
  return {
      {slope_within("FFT is n log n", "|exponent of the FFT in the table's size - 1.1| < 0.2", fft.numbers("rows"),
                    fft.numbers("seconds"), 1.1, 0.2),
       slope_within("DWT is linear", "|exponent of the DWT - 1| < 0.2", dwt.numbers("rows"), dwt.numbers("seconds"), 1,
                    0.2),
       slope_within("SVD is linear in the size", "|exponent of the rank-8 SVD - 1| < 0.2", rank8.numbers("rows"),
                    rank8.numbers("seconds"), 1, 0.2),
       slope_below("SVD grows no faster than K", "exponent in K at the largest table < 1.2", tall.numbers("k"),
                   tall.numbers("seconds"), 1.2),
       certain("SVD is faster for k < ln(nm)", "share of such cases where it is not <= 10%", not_faster / should, 0.1),
       certain("mixtures are the slowest",
               "on the same table: the slowest of FFT, DWT and SVD of any rank <= EM of "
               "one mixture a row with 4 components",
               std::max({shared(fft), shared(dwt), shared(svd)}), gmm.most("seconds")),
       certain("quantile bins are drawn faster",
               "time of a draw by bisection: rows on quantile bins <= 95% of rows on "
               "even bins",
               draw("quantile"), 0.95 * draw("even"))},
      {certain("it crosses earlier", "largest k tried at which SVD is faster, largest table <= ln(nm)", most_k,
               std::log(largest * all.mean("columns"))),
       certain("rows are not the marginal", "even after quantile binning a row's entropy <= 95% of a uniform one's",
               draws.where("bins", "quantile").mean("entropy"), 0.95)}};
}

}  // namespace mercer::paper
