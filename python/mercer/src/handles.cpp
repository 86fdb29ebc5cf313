#include "handles.hpp"

namespace py = pybind11;

py::dict to_dict(const mercer::Space& space) {
  py::list axes;
  for (const mercer::Axis& axis : space.axes) {
    py::dict one;
    one["name"] = axis.name;
    one["low"] = axis.range.low;
    one["high"] = axis.range.high;
    one["unit"] = axis.unit;
    one["periodic"] = axis.periodic;
    axes.append(one);
  }
  py::dict out;
  out["count"] = space.count;
  out["axes"] = axes;
  return out;
}

mercer::Space space_from(const py::dict& given) {
  mercer::Space space;
  space.count = given["count"].cast<std::size_t>();
  for (const py::handle axis : given["axes"]) {
    space.axes.push_back({axis["name"].cast<std::string>(),
                          {axis["low"].cast<double>(), axis["high"].cast<double>()},
                          axis["unit"].cast<std::string>(),
                          axis["periodic"].cast<bool>()});
  }
  return space;
}

py::dict to_dict(const mercer::Contract& contract) {
  py::dict out;
  out["task"] = contract.task;
  out["observation"] = to_dict(contract.observation);
  out["action"] = to_dict(contract.action);
  out["dt"] = contract.dt;
  out["squash"] = name(contract.squash);
  out["centre"] = contract.centre;
  out["scale"] = contract.scale;
  py::list clip;
  for (const mercer::Range& range : contract.clip) clip.append(to_tuple(range));
  out["clip"] = clip;
  if (!contract.normalisation.empty()) {
    py::dict normal;
    normal["mean"] = contract.normalisation.mean;
    normal["variance"] = contract.normalisation.variance;
    normal["epsilon"] = contract.normalisation.epsilon;
    normal["clip"] = contract.normalisation.clip;
    out["normalisation"] = normal;
  }
  return out;
}

py::tuple to_tuple(const mercer::Range& range) { return py::make_tuple(range.low, range.high); }

py::dict to_dict(const mercer::ReturnSummary& summary) {
  py::dict out;
  out["mean"] = summary.mean;
  out["std"] = summary.std;
  out["ci95"] = to_tuple(summary.ci95);
  return out;
}

py::dict to_dict(const mercer::PairedLoss& loss) {
  py::dict out;
  out["loss_mean"] = loss.loss_mean;
  out["loss_percent"] = loss.loss_percent;
  out["ci95_percent"] = to_tuple(loss.ci95_percent);
  return out;
}
