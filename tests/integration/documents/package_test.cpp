// What `cpack` packs, unpacked into an empty folder: it works there, whatever the build folder holds.

#include "tests/integration/support/morgana_test.h"

namespace morgana::test {
namespace {

using testing::HasSubstr;

class Package : public MorganaTest {};

TEST_F(Package, RunsReplaysAndLinksWhereItIsUnpacked) {
  const FinishedProcess packed =
      in_shell("(cd " MORGANA_BUILD
               " && cpack -B \"$OLDPWD/packages\") >pack.log 2>&1 || { cat pack.log; exit 1; }\n"
               "for package in packages/*.deb; do dpkg-deb -x $package root || exit 1; done\n"
               "mv root elsewhere");
  ASSERT_EQ(packed.exit_code, 0) << packed.out << packed.err;

  const FinishedProcess tried = in_shell(
      "unset MORGANA_LIBRARIES MORGANA_PLATFORMS; own=$PWD/elsewhere/usr; set -e\n"
      "$own/bin/morgana run -n 2 --quiet --platform myrinet-ud --trace r.otf2 -- $own/lib/morgana/bin/ring\n"
      "$own/bin/morgana run -n 1 --quiet -- $own/lib/morgana/bin/is.pvm --tasks 2 --class S\n"
      "$own/bin/morgana replay --quiet --json replay.json $own/share/morgana/samples/is.mpi.otf2\n"
      "$own/bin/morgana replay --quiet $own/share/morgana/samples/ring-allreduce.goal -p loggopsim\n"
      "$own/bin/morgana replay --quiet $own/share/morgana/samples/data-parallel -p dgx-h100\n"
      "$own/bin/morgana doctor | grep 'shim library'\n"
      "$own/bin/morgana demo --output tour 2>&1 | tail -6\n"
      "mpicc.mpich -I$own/include -o logp $own/share/doc/morgana/examples/am2/logp.c -L$own/lib -lmorgana-am "
      "-Wl,-rpath,$own/lib\n"
      "$own/bin/morgana run -n 2 --quiet --platform myrinet-am2 -- ./logp 10\n"
      "$own/bin/morgana platforms --names | wc -l\n"
      "ls $own/share/platforms 2>&1 | head -1; ls $own/share/man/man1 | wc -l\n"
      "ls $own/lib/python3/dist-packages/morgana/__init__.py\n"
      "zcat $own/share/man/man1/morgana-run.1.gz | grep -c 'platform'\n"
      "bash -n $own/share/bash-completion/completions/morgana");
  EXPECT_EQ(tried.exit_code, 0) << tried.out << tried.err;
  EXPECT_THAT(tried.out, HasSubstr("ring of 2"));
  EXPECT_THAT(tried.out, HasSubstr("PASS"));
  EXPECT_THAT(tried.out, HasSubstr("  deadlock.html  who waits for whom"));
  EXPECT_THAT(tried.out, HasSubstr("round trip "));
  EXPECT_THAT(tried.out, HasSubstr(path("elsewhere/usr/lib/morgana/libmorgana-mpi.so")));
  EXPECT_GT(simulated_ps("replay.json"), 0);

  const FinishedProcess built = in_shell(
      "own=$PWD/elsewhere/usr\n"
      "{ cmake -S $own/share/doc/morgana-dev/examples/library -B example -DCMAKE_PREFIX_PATH=$own &&\n"
      "  cmake --build example; } >example.log 2>&1 || { cat example.log; exit 1; }\n"
      "MORGANA_PLATFORMS=$own/share/morgana/platforms example/message_time fast-ethernet 1500");
  EXPECT_EQ(built.exit_code, 0) << built.out << built.err;
  EXPECT_THAT(built.out, HasSubstr("the message is at the other host"));
}

/// Every command and every long option of its help stands in its page, and in each shell's script.
TEST_F(Package, ManualAndCompletionKnowEveryOption) {
  const FinishedProcess missing = in_shell(
      "for shell in bash zsh fish; do morgana completion $shell >$shell || exit 1; done\n"
      "morgana manual --all pages || exit 1\n"
      "for page in pages/morgana-*.1; do\n"
      "  command=${page#pages/morgana-} command=${command%.1}\n"
      "  morgana $command --help | grep -oE '^ +(-[a-z],)?--[a-z-]+' | grep -oE -- '--[a-z-]+' | grep -v -- "
      "--help |\n"
      "    while read -r option; do\n"
      "      grep -qF -- \"${option//-/\\\\-}\" $page || echo page of $command lacks $option\n"
      "      for shell in bash zsh; do grep -qF -- $option $shell || echo $shell lacks $option; done\n"
      "      grep -qE -- \"seen_subcommand_from $command'.* -l ${option#--} \" fish || echo fish lacks "
      "$option of $command\n"
      "    done\n"
      "done\n"
      "ls pages | wc -l; morgana --help | grep -cE '^  [a-z]+ +[A-Z]'");
  EXPECT_EQ(missing.exit_code, 0) << missing.err;
  // One page for each command that the help lists, and that of morgana itself.
  const std::size_t end_of_first = missing.out.find('\n');
  ASSERT_NE(end_of_first, std::string::npos);
  EXPECT_EQ(missing.out.find("lacks"), std::string::npos) << missing.out;
  EXPECT_EQ(std::stoi(missing.out), std::stoi(missing.out.substr(end_of_first)) + 1);
}

}  // namespace
}  // namespace morgana::test
