#include <fmt/format.h>
#include <pybind11/stl/filesystem.h>

#include "arrays.hpp"
#include "bind.hpp"
#include "embed/formula/axes.hpp"
#include "fields.hpp"
#include "handles.hpp"
#include "measure/behaviour_words.hpp"

namespace py = pybind11;
using mercer::ContinuousEmbedding;
using mercer::EmbeddingFile;
using mercer::LatticeEmbedding;

namespace {

py::list edges_of(const mercer::Grid& grid) {
  py::list out;
  for (const mercer::Edges& edges : grid.axes) out.append(array_of(edges.values));
  return out;
}

// What only a lattice has.
void describe_lattice(const LatticeEmbedding& embedding, py::dict& out) {
  const mercer::LatticePolicy& policy = embedding.policy();
  out["numbers"] = array_of({embedding.numbers().begin(), embedding.numbers().end()});
  out["energies"] = array_of(embedding.energies());
  out["whole_energy"] = embedding.whole_energy();
  out["cells"] = policy.cells().size();
  out["state_edges"] = edges_of(policy.cells().grid());
  out["action_edges"] = edges_of(policy.actions());
  std::vector<double> centres;
  for (std::size_t c = 0; c < policy.cells().size(); ++c) {
    for (std::size_t d = 0; d < policy.cells().grid().dimensions(); ++d) {
      centres.push_back(policy.cells().centre(c, d));
    }
  }
  const auto rows = static_cast<py::ssize_t>(policy.cells().size());
  const auto dimensions = static_cast<py::ssize_t>(policy.cells().grid().dimensions());
  out["centres"] = array_of(std::move(centres), {rows, dimensions});
  if (policy.has_table()) {
    out["table"] = array_of(policy.table().pi, {rows, static_cast<py::ssize_t>(policy.columns())});
  }
}

void describe_continuous(const ContinuousEmbedding& embedding, py::dict& out) {
  const mercer::ContinuousCode& code = embedding.code();
  py::dict bits;
  bits["header"] = code.bits.header;
  bits["coordinates"] = code.bits.coordinates;
  bits["terms"] = code.bits.terms;
  bits["scales"] = code.bits.scales;
  bits["coefficients"] = code.bits.coefficients;
  out["head"] = name(code.head);
  out["squash"] = code.squash;
  out["format"] = name(code.format);
  out["terms"] = mercer::describe_terms(embedding);
  out["coefficients"] =
      array_of(code.coefficients, {static_cast<py::ssize_t>(code.outputs), static_cast<py::ssize_t>(embedding.k())});
  out["formulas"] = mercer::formulas(embedding);
  out["bits"] = bits;
}

py::dict describe(const EmbeddingHandle& self) {
  const mercer::Embedding& embedding = self.file->embedding;
  py::dict out;
  out["route"] = name(embedding.route());
  out["basis"] = embedding.basis();
  out["k"] = embedding.k();
  out["parameters"] = embedding.parameters().published;
  out["parameters_stored"] = embedding.parameters().stored;
  out["payload_bytes"] = embedding.payload().size();
  out["env"] = self.file->origin.env;
  out["teacher"] = self.file->origin.teacher;
  out["seed"] = self.file->origin.seed;
  out["settings"] = self.file->origin.settings;
  out["verified"] = self.file->verified;
  out["signature"] = py::none();
  if (self.file->signature) {
    py::dict signature;
    signature["algorithm"] = self.file->signature->algorithm;
    signature["key_sha256"] = self.file->signature->fingerprint;
    out["signature"] = signature;
  }
  if (embedding.is_lattice()) {
    describe_lattice(embedding.lattice(), out);
  } else {
    describe_continuous(embedding.continuous(), out);
  }
  return out;
}

std::vector<std::string> formula(const EmbeddingHandle& self, const std::string& notation) {
  if (self.file->embedding.is_lattice()) {
    throw mercer::Error(mercer::ErrorCode::bad_value, "an embedding on a lattice is a table: it has no formula",
                        "Embed on the continuous route");
  }
  return mercer::formulas(self.file->embedding.continuous(), mercer::parse<mercer::Notation>(notation));
}

void save(const EmbeddingHandle& self, const std::filesystem::path& path,
          const std::optional<std::filesystem::path>& sign) {
  std::optional<mercer::SigningKey> key;
  if (sign) key = mercer::read_signing_key(*sign);
  mercer::write_embedding(path, self.file->embedding, self.file->origin, self.file->certificate, key);
}

EmbeddingHandle load(const std::filesystem::path& path, const py::dict& settings) {
  std::vector<mercer::PolicySetting> acting;
  for (const auto& [key, value] : settings) {
    acting.push_back({key.cast<std::string>(), value.cast<std::string>(), "an argument"});
  }
  return {std::make_shared<EmbeddingFile>(mercer::read_embedding(path, mercer::parse_acting(acting)))};
}

}  // namespace

void bind_embedding(py::module_& module) {
  py::class_<EmbeddingHandle>(module, "EmbeddingHandle")
      .def_property_readonly("policy", &EmbeddingHandle::policy)
      .def_property_readonly("payload",
                             [](const EmbeddingHandle& self) {
                               const auto& bytes = self.file->embedding.payload();
                               return py::bytes(reinterpret_cast<const char*>(bytes.data()), bytes.size());
                             })
      .def("describe", &describe)
      .def("formula", &formula)
      .def("save", &save)
      .def_property_readonly("certificate",
                             [](const EmbeddingHandle& self) -> std::optional<std::string> {
                               if (!self.file->certificate) return std::nullopt;
                               return mercer::certificate_json(*self.file->certificate);
                             })
      .def("set_certificate",
           [](const EmbeddingHandle& self, const std::string& text) {
             self.file->certificate = mercer::certificate_from_json(text, "the certificate");
           })
      .def("set_origin", [](const EmbeddingHandle& self, const std::string& env, const std::string& teacher,
                            std::uint64_t seed, const std::map<std::string, std::string>& settings) {
        self.file->origin = {env, teacher, seed, settings};
      });
  module.def("read_embedding", &load);
  const auto define = [&](const char* name, auto of) {
    module.def(name,
               [of](const std::string& text) { return of(mercer::certificate_from_json(text, "the certificate")); });
  };
  define("certificate_page", mercer::certificate_page);
  define("certificate_sentences", mercer::promise_sentences);
  define("certificate_warnings",
         [](const mercer::Certificate& certificate) { return mercer::warning_sentences(certificate); });
}
