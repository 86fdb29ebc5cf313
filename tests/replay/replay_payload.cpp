// Makes a policy from a folder that holds a payload and a contract and nothing else, and prints what it does:
// replay_payload FOLDER ROUTE COUNT

#include <cstdio>
#include <cstdlib>

#include "mercer/embedding.hpp"
#include "policy/files.hpp"
#include "support/files.hpp"
#include "support/probe_states.hpp"

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const std::filesystem::path folder = argv[1];
  const std::string bytes = read_bytes(folder / "payload"), route = argv[2];
  const std::vector<std::uint8_t> payload(bytes.begin(), bytes.end());
  const mercer::Contract contract =
      mercer::contract_from_json(nlohmann::json::parse(read_bytes(folder / "contract.json")), "contract");
  const auto made = route == "lattice"
                        ? mercer::Embedding(mercer::LatticeEmbedding::decode(payload, contract, "payload"))
                        : mercer::Embedding(mercer::ContinuousEmbedding::decode(payload, contract, "payload"));
  std::fputs(actions_in_hex(made.policy(), std::strtoul(argv[3], nullptr, 10)).c_str(), stdout);
}
