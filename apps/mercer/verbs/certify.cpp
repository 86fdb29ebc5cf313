#include "cli/output.hpp"
#include "cli/program.hpp"
#include "cli/terminal.hpp"
#include "pipeline/documents.hpp"

void add_certify(Program& program) {
  Verb& verb = add_request_verb<mercer::CertifyRequest>(
      program, "certify", "Bound what an embedding may lose against its teacher, and store the certificate",
      [](const mercer::CertifyRequest& request, const CommonOptions& common) {
        const mercer::CertifyResult result = mercer::certify(request, terminal_progress(common.quiet));
        if (!common.quiet) {
          print_text(mercer::certificate_page(result.certificate));
          if (result.stored) {
            tell("\nWrote the certificate to {}{}.\n", request.file,
                 result.replaced ? fmt::format(", replacing the one from {} episodes", result.replaced->episodes) : "");
          } else {
            tell("\nNothing was written: {}.\n",
                 request.dry_run ? "this is a dry run" : "only a .mercer file holds a certificate");
          }
        }
        if (common.json) print_json(mercer::document(result));
        mercer::require_budget(result.certificate);
      });
  verb.settings->add_positional("FILE", "file");
}
