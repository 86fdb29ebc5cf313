#include "basis/table/wavelet.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "mercer/basis.hpp"
#include "mercer/error.hpp"

namespace mercer {
namespace {

constexpr std::size_t most_moments = 10;

// Low-pass taps of db1, db2, ..., db10 one after the other: the solutions with least phase of h(z) h(1/z) + h(-z)
// h(-1/z) = 2 with as many zeros at z = -1 as there are vanishing moments. Computed with 60 digits by factoring sum_k
// C(N-1+k, k) y^k; the tests check the defining equations.
constexpr std::array low_pass{
    // db1
    0.707106781186547524, 0.707106781186547524,
    // db2
    0.482962913144534143, 0.836516303737807906, 0.224143868042013381, -0.129409522551260381,
    // db3
    0.332670552950082616, 0.806891509311092576, 0.45987750211849157, -0.135011020010254589, -0.0854412738820266617,
    0.0352262918857095366,
    // db4
    0.230377813308896501, 0.714846570552915647, 0.630880767929858908, -0.0279837694168598542, -0.187034811719093084,
    0.0308413818355607636, 0.0328830116668851997, -0.0105974017850690321,
    // db5
    0.160102397974192914, 0.603829269797189671, 0.724308528437772928, 0.138428145901320732, -0.242294887066382032,
    -0.0322448695846383746, 0.0775714938400457135, -0.00624149021279827427, -0.0125807519990819995,
    0.00333572528547377128,
    // db6
    0.111540743350109464, 0.494623890398453086, 0.751133908021095351, 0.315250351709197629, -0.22626469396543982,
    -0.129766867567261936, 0.0975016055873230491, 0.0275228655303057286, -0.0315820393174860296,
    0.000553842201161496139, 0.00477725751094551064, -0.00107730108530847956,
    // db7
    0.077852054085009179, 0.396539319481917307, 0.72913209084623512, 0.469782287405193122, -0.143906003928564975,
    -0.224036184993874983, 0.0713092192668302648, 0.0806126091510830719, -0.0380299369350144136, -0.0165745416306668807,
    0.0125509985560998406, 0.000429577972921366521, -0.00180164070404749092, 0.000353713799974520248,
    // db8
    0.05441584224310401, 0.312871590914299971, 0.675630736297289807, 0.585354683654206713, -0.0158291052563493057,
    -0.284015542961546927, 0.00047248457391328277, 0.128747426620478459, -0.0173693010018075462, -0.0440882539307947515,
    0.0139810279173982816, 0.00874609404740577672, -0.00487035299345157431, -0.000391740373376947046,
    0.000675449406450569366, -0.000117476784124769534,
    // db9
    0.0380779473638783466, 0.243834674612590354, 0.604823123690111112, 0.657288078051300538, 0.133197385825007576,
    -0.293273783279174909, -0.0968407832229764605, 0.14854074933810638, 0.0307256814793333792, -0.0676328290613299737,
    0.000250947114831451958, 0.0223616621236790972, -0.00472320475775139728, -0.00428150368246342983,
    0.00184764688305622648, 0.000230385763523195967, -0.000251963188942710137, 0.0000393473203162715995,
    // db10
    0.0266700579005555536, 0.188176800077691489, 0.527201188931725586, 0.688459039453603566, 0.281172343660577461,
    -0.249846424327315379, -0.195946274377377044, 0.12736934033579326, 0.0930573646035723512, -0.0713941471663970871,
    -0.0294575368218758129, 0.0332126740593410017, 0.00360655356695616966, -0.010733175483330575,
    0.00139535174705290117, 0.00199240529518505612, -0.000685856694959711627, -0.000116466855129285451,
    0.0000935886703200695913, -0.0000132642028945212448};

}  // namespace

WaveletFilter wavelet_filter(std::string_view name) {
  std::vector<std::string> names{"haar"};
  for (std::size_t moments = 1; moments <= most_moments; ++moments) names.push_back("db" + std::to_string(moments));
  const auto found = std::ranges::find(names, name);
  if (found == names.end()) throw_unknown("wavelet", name, names);
  const auto moments = std::max<std::size_t>(1, static_cast<std::size_t>(found - names.begin()));
  const std::size_t taps = 2 * moments;
  const auto first = low_pass.begin() + static_cast<std::ptrdiff_t>(moments * (moments - 1));

  WaveletFilter filter;
  filter.name = name;
  filter.rec_lo.assign(first, first + static_cast<std::ptrdiff_t>(taps));
  filter.rec_hi.resize(taps);
  for (std::size_t i = 0; i < taps; ++i) filter.rec_hi[i] = (i % 2 == 0 ? 1 : -1) * filter.rec_lo[taps - 1 - i];
  filter.dec_lo.assign(filter.rec_lo.rbegin(), filter.rec_lo.rend());
  filter.dec_hi.assign(filter.rec_hi.rbegin(), filter.rec_hi.rend());
  return filter;
}

std::size_t wavelet_default_level(std::span<const std::size_t> shape, const WaveletFilter& filter) {
  table_size(shape);  // throws for an empty shape
  const std::size_t shortest = *std::ranges::min_element(shape);
  const std::size_t reach = filter.dec_lo.size() - 1;
  std::size_t level = 0;
  while ((shortest / reach) >> (level + 1) != 0) ++level;
  return level;
}

namespace {

std::string key_of(unsigned high, std::size_t axes) {
  std::string key;
  for (std::size_t axis = 0; axis < axes; ++axis) key += (high >> axis & 1U) != 0 ? 'd' : 'a';
  return key;
}

// The depth that the bands of a decomposition have.
std::size_t level_of(const WaveletDecomposition& decomposition) {
  std::size_t level = 0;
  for (const WaveletBand& band : decomposition.bands) level = std::max(level, band.level);
  return level;
}

}  // namespace

WaveletDecomposition wavelet(const Table& table, const WaveletFilter& filter, WaveletMode mode,
                             std::optional<std::size_t> level) {
  check_table("the table", table.shape, table.values);
  const WaveletPlan plan(table.shape, filter, mode, level.value_or(wavelet_default_level(table.shape, filter)));
  WaveletDecomposition result{table.shape, {}};
  std::vector<double*> targets;
  for (const WaveletPlan::Band& band : plan.bands) {
    result.bands.push_back(
        {band.level, key_of(band.high, table.shape.size()), band.shape, std::vector<double>(band.size)});
    targets.push_back(result.bands.back().values.data());  // stays where it is when the list grows
  }
  plan.decompose(table.values, targets);
  return result;
}

Table inverse_wavelet(const WaveletDecomposition& decomposition, const WaveletFilter& filter, WaveletMode mode) {
  const WaveletPlan plan(decomposition.shape, filter, mode, level_of(decomposition));
  std::vector<double> coefficients(plan.size);
  check_count("the list of bands", decomposition.bands.size(), plan.bands.size());
  for (std::size_t i = 0; i < plan.bands.size(); ++i) {
    const WaveletPlan::Band& place = plan.bands[i];
    const WaveletBand& band = decomposition.bands[i];
    const std::string key = key_of(place.high, decomposition.shape.size());
    if (band.key != key || band.level != place.level || band.shape != place.shape) {
      throw Error(ErrorCode::shape_mismatch,
                  fmt::format("band {} is '{}' of level {}, where '{}' of level {} is needed, or its shape is wrong", i,
                              band.key, band.level, key, place.level),
                  "Use filter and mode of the decomposition, and its bands in their order");
    }
    check_table("a band", band.shape, band.values);
    std::ranges::copy(band.values, coefficients.begin() + static_cast<std::ptrdiff_t>(place.offset));
  }
  Table table{decomposition.shape, std::vector<double>(table_size(decomposition.shape))};
  plan.reconstruct(coefficients, table.values);
  return table;
}

WaveletBasis::WaveletBasis(WaveletOptions options)
    : options_(std::move(options)), filter_(wavelet_filter(options_.filter)) {
  check_wavelet_level(options_.level.value_or(1));
}
WaveletBasis::~WaveletBasis() = default;

std::string WaveletBasis::name() const {
  BasisSpec spec;
  spec.family = BasisFamily::wavelet;
  spec.wavelet = options_;
  return to_text(spec);
}

void WaveletBasis::train(const Table& table, std::span<const double>) {
  fix_shape(table);
  const std::size_t usual = std::max<std::size_t>(1, wavelet_default_level(table.shape, filter_));
  plan_ = std::make_shared<WaveletPlan>(table.shape, filter_, options_.mode, options_.level.value_or(usual));
}

std::vector<double> WaveletBasis::apply(std::span<const double> table) const {
  check_values(table);
  std::vector<double> coefficients(plan_->size);
  plan_->decompose(table, coefficients);
  return coefficients;
}

std::vector<double> WaveletBasis::reverse(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  std::vector<double> table(table_size(shape()));
  plan_->reconstruct(coefficients, table);
  return table;
}

std::vector<Term> WaveletBasis::terms(std::span<const double> coefficients) const {
  check_coefficients(coefficients);
  // The approximation of a single number is the mean, when nothing had to be added to halve the axes.
  const bool has_mean = orthonormal() && plan_->bands[0].size == 1;
  std::vector<Term> terms;
  terms.reserve(coefficients.size());
  for (std::size_t i = 0; i < coefficients.size(); ++i) {
    terms.push_back({i, i, coefficients[i] * coefficients[i], 1, has_mean && i == 0});
  }
  return terms;
}

std::unique_ptr<RowEvaluator> WaveletBasis::evaluator(std::span<const double> coefficients,
                                                      std::span<const std::size_t> kept) const {
  check_kept(coefficients, kept);
  return std::make_unique<WaveletRows>(plan_, coefficients, kept);
}

bool WaveletBasis::orthonormal() const {
  if (!plan_ || plan_->levels() == 0) return true;
  if (options_.mode != WaveletMode::periodization) return false;
  return plan_->size == table_size(shape());
}

std::size_t WaveletBasis::size() const { return plan_ ? plan_->size : 0; }
std::size_t WaveletBasis::level() const { return plan_ ? plan_->levels() : options_.level.value_or(1); }

}  // namespace mercer
