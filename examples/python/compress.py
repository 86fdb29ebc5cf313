"""From an actor network to the smallest embedding that loses at most 5% of its return, with a certificate at 95%
confidence. Run it from the root of the repository: compress.py [ACTOR [OUT.mercer]]."""

import sys

import mercer

actor = sys.argv[1] if len(sys.argv) > 1 else "tests/data/policies/pendulum_5000_actor.onnx"
out = sys.argv[2] if len(sys.argv) > 2 else "small.mercer"

# A short search. Without the last three lines it takes a quarter of a minute, finds less loss and bounds it more closely.
embedding = mercer.compress(
    actor, "pendulum", max_loss=0.05, seed=1,
    route="continuous", bases=["chebyshev"], most_terms=4,
    generations=12, candidate_episodes=64,
    select_episodes=300, certify_episodes=3000,
)  # raises CertificateError where nothing keeps the budget
embedding.save(out)

certificate = embedding.certificate
assert certificate is not None  # a search always certifies what it returns
print(f"{out}: {embedding.payload_bytes} bytes, loss {certificate.loss_percent:.2f}% of the return, "
      f"at most {certificate.upper_percent:.2f}% with 95% confidence")
