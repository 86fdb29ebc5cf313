#include <algorithm>
#include <memory>

#include <fmt/format.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "handles.hpp"
#include "routes.hpp"

namespace py = pybind11;
using mercer::EmbeddingFile;

namespace {

/// The continuous route by hand, for tasks that only Python can play: samples of a teacher, a dictionary, the path of
/// its terms, and embeddings of any K with fitted or given coefficients.
class TermSearch {
 public:
  TermSearch(const PolicyHandle& teacher, mercer::Act act, bool squash)
      : teacher_(teacher.policy), head_(mercer::head_for(*teacher_, act == mercer::Act::sample)) {
    shape_.head = head_;
    shape_.squash = head_ == mercer::Head::logits     ? act != mercer::Act::sample
                    : head_ == mercer::Head::gaussian ? teacher_->contract().squash == mercer::Squash::tanh
                                                      : squash;
    samples_.emplace(*teacher_, head_, shape_.squash);
    shape_.outputs = samples_->outputs();
  }

  void add(const py::object& observations) {
    const Batch states(observations, teacher_->observation_dimensions(), "observations");
    const py::gil_scoped_release release;
    samples_->add(states.view());
  }

  /// Chooses coordinates and terms anew from all samples.
  std::size_t choose(const py::dict& options, std::size_t most, std::uint64_t seed) {
    mercer::DictionaryOptions dictionary;
    Fields fields(options);
    read_dictionary(fields, dictionary);
    fields.finish("a dictionary");
    mercer::ContinuousOptions checked;  // refuses a name that is none
    checked.dictionary = dictionary;
    checked.act = head_ == mercer::Head::mean ? mercer::Act::mean : mercer::Act::sample;
    const py::gil_scoped_release release;
    mercer::check_options(checked, *teacher_);
    const auto seen = samples_->points().row_block(0, teacher_->observation_dimensions());
    shape_.coordinates = mercer::choose_coordinates(*teacher_, head_, dictionary, seen, shape_.own_ranges);
    dictionary_ = mercer::make_dictionary(dictionary, shape_.coordinates, samples_->points(), seed);
    all_ = mercer::evaluate_features(dictionary_, shape_.coordinates, *samples_);
    path_ = mercer::choose_terms(all_, *samples_, most);
    return path_.chosen.size();
  }

  /// Coefficients (outputs, k) by least squares and polish on the action.
  py::array fit(std::size_t k, std::size_t steps) const {
    std::vector<double> out;
    {
      const py::gil_scoped_release release;
      const mercer::Features few = mercer::select_rows(all_, chosen(k));
      mercer::Polish polish;
      polish.steps = steps;
      out = mercer::polish(few, *samples_, mercer::least_squares(few, *samples_), polish);
    }
    return array_of(std::move(out), {static_cast<py::ssize_t>(shape_.outputs), static_cast<py::ssize_t>(k)});
  }

  /// Gram matrix of the first K terms over the samples: what a step of the coefficients moves.
  py::array gram(std::size_t k) const {
    const mercer::Features few = mercer::select_rows(all_, chosen(k));
    std::vector<double> out(k * k);
    for (std::size_t a = 0; a < k; ++a) {
      for (std::size_t b = 0; b < k; ++b) {
        double sum = 0;
        for (std::size_t i = 0; i < few.columns; ++i) sum += few.row(a)[i] * few.row(b)[i];
        out[a * k + b] = sum / static_cast<double>(few.columns);
      }
    }
    return array_of(std::move(out), {static_cast<py::ssize_t>(k), static_cast<py::ssize_t>(k)});
  }

  /// The policy of these coefficients, not rounded.
  PolicyHandle policy(std::size_t k, const Numbers& coefficients) const {
    return {mercer::continuous_policy(
        "candidate", teacher_->contract(), head_, shape_.squash,
        {mercer::select_terms(dictionary_, chosen(k)), shape_.coordinates, span_of(coefficients)})};
  }

  EmbeddingHandle embedding(std::size_t k, const Numbers& coefficients, const std::string& format) const {
    const py::gil_scoped_release release;
    const std::vector<std::size_t> terms = chosen(k);
    mercer::ContinuousCode code = shape_;
    code.format = mercer::parse<mercer::NumberFormat>(format);
    code.terms = mercer::select_terms(dictionary_, terms);
    code = mercer::round_coefficients(code, mercer::select_rows(all_, terms), *samples_, span_of(coefficients));
    mercer::EmbeddingOrigin origin{teacher_->contract().task, teacher_->name(), 0, {}};
    return {std::make_shared<EmbeddingFile>(EmbeddingFile{
        mercer::ContinuousEmbedding::make(code, teacher_->contract(), teacher_->name()), std::move(origin), 0, {}})};
  }

  std::size_t size() const { return samples_->size(); }

 private:
  std::vector<std::size_t> chosen(std::size_t k) const {
    if (k == 0 || k > path_.chosen.size()) {
      throw mercer::Error(mercer::ErrorCode::out_of_range,
                          fmt::format("{} terms; legal: 1 to {}", k, path_.chosen.size()),
                          "Call choose first, with as many or more");
    }
    std::vector<std::size_t> out(path_.chosen.begin(), path_.chosen.begin() + static_cast<std::ptrdiff_t>(k));
    std::ranges::sort(out);
    return out;
  }

  std::shared_ptr<const mercer::Policy> teacher_;
  mercer::Head head_;
  mercer::ContinuousCode shape_;
  std::optional<mercer::Samples> samples_;
  mercer::Terms dictionary_;
  mercer::Features all_;
  mercer::TermPath path_;
};

}  // namespace

void bind_term_search(py::module_& module) {
  py::class_<TermSearch>(module, "TermSearch")
      .def(py::init([](const PolicyHandle& teacher, const std::string& act, bool squash) {
             return std::make_unique<TermSearch>(teacher, mercer::parse<mercer::Act>(act), squash);
           }),
           py::arg("teacher"), py::arg("act") = "mean", py::arg("squash") = true)
      .def("add", &TermSearch::add, py::arg("observations"))
      .def("choose", &TermSearch::choose, py::arg("dictionary"), py::arg("most"), py::arg("seed") = 0)
      .def("fit", &TermSearch::fit, py::arg("k"), py::arg("steps") = 20)
      .def("gram", &TermSearch::gram, py::arg("k"))
      .def("policy", &TermSearch::policy, py::arg("k"), py::arg("coefficients"))
      .def("embedding", &TermSearch::embedding, py::arg("k"), py::arg("coefficients"), py::arg("format") = "int8")
      .def_property_readonly("size", &TermSearch::size);
}
