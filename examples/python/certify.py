"""How much return an embedding may cost: fits six terms to an actor, then bounds the loss on episodes that the fit never
saw. Run it from the root of the repository: certify.py [ACTOR [OUT.mercer]]."""

import sys

import mercer

actor = sys.argv[1] if len(sys.argv) > 1 else "tests/data/policies/pendulum_5000_actor.onnx"
out = sys.argv[2] if len(sys.argv) > 2 else "six_terms.mercer"

embedding = mercer.embed_continuous(actor, "pendulum", k=6, rollouts=50, episodes=100, seed=1)
certificate = mercer.certify("pendulum", actor, embedding, episodes=2000, level="statistical", max_loss=0.2)
if not certificate.met:
    sys.exit(f"may lose {certificate.upper_percent:.2f}%, and 20% is allowed")
embedding.certificate = certificate
embedding.save(out)

print(f"{out}: loss {certificate.loss_percent:.2f}% of the return, at most {certificate.upper_percent:.2f}% "
      "with 95% confidence")
