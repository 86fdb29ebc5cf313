#include "words.hpp"

#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace py = pybind11;

namespace {

// What `help` says under the signature: functions first, then classes.
constexpr std::pair<const char*, const char*> functions[] = {
    {"betting_interval",
     "The mean's interval by betting, for independent numbers `x` in `range` (low, high); it fails with probability "
     "`delta`. `sides` is \"two\", \"upper\" or \"lower\". With `anytime` it holds at all numbers of `x` at once."},
    {"betting_upper",
     "The upper end of the one-sided interval by betting, for numbers `x` in `range`; it fails with probability "
     "`delta`. With `anytime` it holds at all numbers of `x` at once."},
    {"bootstrap_interval",
     "The interval of a `statistic` (\"mean\", \"std\") of `x` by `resamples` resamples drawn with `seed`: an "
     "estimate, which fails with probability of about `delta`."},
    {"certify_loss",
     "What `student` may lose against `teacher`, from returns of the same episodes in `range` (low, high), with "
     "`confidence`. `method` is betting, predictable_bernstein, empirical_bernstein or hoeffding; `anytime` is for "
     "betting: the bound holds at every number of episodes."},
    {"choose_landmarks",
     "At most `count` rows of `x` that span the space of a `kernel` of some `length` well, found one after the other; "
     "fewer where nothing above `tolerance` is left. Gives (chosen, power, largest)."},
    {"confidence_of_attempt",
     "The confidence that certificate number `attempt` (from 1) of a search gets, so that `confidence` holds for all."},
    {"cosine", "The orthonormal discrete cosine transform of an array `a`, over all axes."},
    {"empirical_bernstein_interval",
     "The mean's interval by an empirical Bernstein bound, for independent numbers `x` in `range`; it fails with "
     "probability `delta`. `sides` is \"two\", \"upper\" or \"lower\"."},
    {"fit_mixture",
     "A mixture of `k` Gaussians for rows `x` with `weights`, by at most `iterations` of expectation maximisation from "
     "`start` (weights, means, variances) or from `seed`. `covariance` is \"diagonal\" or \"full\", variances are at "
     "least `floor`; it ends where a step gains less than `tolerance`. With `weights_only` means and variances stay."},
    {"fourier", "The discrete Fourier transform of a real array `a`, over all axes, as numpy.fft.fftn gives it."},
    {"gaussian_total_variation",
     "Total variation between two Gaussians of means `mean1`, `mean2` and standard deviations `std1`, `std2`."},
    {"generous_range",
     "A range for returns without known bounds: what `first` and `second` span, and half of that on either side."},
    {"hoeffding_interval",
     "The mean's interval by Hoeffding's bound, for independent numbers `x` in `range`; it fails with probability "
     "`delta`. `sides` is \"two\", \"upper\" or \"lower\"."},
    {"inverse_cosine", "The array whose `cosine` transform is `coefficients`."},
    {"inverse_fourier", "The real array whose `fourier` transform is `spectrum`."},
    {"kernel_matrix",
     "k(x_i, y_j) for rows of `x` and `y`: `kernel` is gaussian, matern32 or matern52, of some `length`."},
    {"known_bases", "Names of all bases."},
    {"known_envs", "All tasks: name, summary, settings, group."},
    {"known_policies", "All kinds of policies: name, summary, settings."},
    {"make_basis",
     "The basis that `spec` names, such as \"dct\" or \"wavelet:db4\"; `seed` is for those that are drawn."},
    {"make_chain",
     "`n` states in a row, where a step goes the way it was asked to with probability `alpha`; the last state earns 1. "
     "Episodes have `horizon` steps."},
    {"make_noisy_bandit",
     "A bandit of `arms` arms, whose rewards are a bell with deviations of size `noise`, drawn once with `seed`."},
    {"mixture_log_density",
     "Log-density of a `mixture` (weights, means, variances) at rows `x`. `covariance` is as for `fit_mixture`."},
    {"paired_loss",
     "Mean, spread and percent of what `student` lost against `teacher`, from returns of the same episodes."},
    {"parameters", "What can be perturbed about the task `name`: name, help, nominal, low, high, integer."},
    {"policy_distance",
     "How far two policies, `first` and `second`, are apart at `observations` (n, dim): means of w1 and tv, and more. "
     "`breaks` are actions where densities jump."},
    {"power_function",
     "How far interpolation at rows `landmarks` can be off at rows `x`, for a function of norm one in the space of a "
     "`kernel` of some `length`. A `ridge` above 0 is for fits."},
    {"predictable_bernstein_interval",
     "The mean's interval by a Bernstein bound with predictable variances, for independent numbers `x` in `range`; it "
     "fails with probability `delta`. `sides` is \"two\", \"upper\" or \"lower\"."},
    {"project_rows", "The nearest distributions to `rows`; `rule` is \"clip\", \"euclidean\" or \"softmax\"."},
    {"read_mdp", "The finite process in the JSON file `path`."},
    {"read_rollouts", "Rollouts from the file `path` (.npz, .csv); `gamma` replaces the discount it states."},
    {"read_safetensors", "Tensors and metadata of the file `path`."},
    {"sliced_wasserstein",
     "The mean Wasserstein distance of rows `x` and `y`, weighted by `wx` and `wy`, along `directions` drawn with "
     "`seed`."},
    {"student_t_interval",
     "Student's interval for the mean of `x`: an estimate, which fails with probability of about `delta`. `sides` is "
     "\"two\", \"upper\" or \"lower\"."},
    {"summarise", "Mean, standard deviation, quantiles and intervals of `returns`."},
    {"svd", "(u, s, vt) of a matrix `a`, up to `rank`; `randomised` is faster for small ranks, with draws of `seed`."},
    {"thread_count", "Threads that loops may use now."},
    {"total_variation", "Total variation between distributions `p` and `q`: half the sum of differences."},
    {"transport_distance", "The exact Wasserstein distance of rows `x` and `y`, weighted by `wx` and `wy`."},
    {"wasserstein", "The Wasserstein distance of numbers `x` and `y`, weighted by `wx` and `wy`."},
    {"write_safetensors", "Writes `tensors` (arrays by name) and `metadata` (texts by name) to the file `path`."},
};
constexpr std::pair<const char*, const char*> classes[] = {
    {"Basis", "A basis of tables: `train`, `apply`, `reverse`, `kept`, `energy_curve`. `make_basis` makes one."},
    {"Policy",
     "What acts: `predict`, `mean_action`, `sample`, `log_prob`, `contract`, `name`. `load_policy` makes one."},
    {"Rollouts",
     "Episodes: `observations`, `actions`, `rewards`, `returns`, `offsets`, `terminated`, `final_observations`."},
    {"TabularMdp",
     "A finite process: `transitions` (states, actions, states), `rewards` (states, actions), the distribution of the "
     "`start`, discount `gamma`, steps of an episode `horizon`, and which states are `terminal`."},
};

}  // namespace

void bind_words(py::module_& module) {
  for (const auto& [name, words] : functions) {
    // A function of the extension keeps its text in memory that pybind11 frees: no attribute replaces it.
    PyMethodDef* const method = reinterpret_cast<PyCFunctionObject*>(module.attr(name).ptr())->m_ml;
    const std::string text = std::string(method->ml_doc) + "\n" + words + "\n";
    std::free(const_cast<char*>(method->ml_doc));
    method->ml_doc = strdup(text.c_str());
  }
  for (const auto& [name, words] : classes) module.attr(name).attr("__doc__") = words;
}
