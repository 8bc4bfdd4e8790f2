#!/usr/bin/env node
// Written in syntax that Node 14 parses, so that an old Node gets as far as the check below
// and can say what it needs; everything newer lives in the two files it imports.

// Imported, Node's own modules get a facade first, for which a command waits some milliseconds.
if (process.getBuiltinModule) start(process.getBuiltinModule('fs').readFileSync);
else void import('fs').then(({ readFileSync }) => start(readFileSync));

/** @param {typeof import('fs').readFileSync} readFileSync */
function start(readFileSync) {
  const pjson = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
  const [neededMajor = 0, neededMinor = 0] = (/[\d.]+/.exec(pjson.engines.node) || [''])[0].split('.').map(Number);
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number);
  const tooOld = major < neededMajor || (major === neededMajor && minor < neededMinor);

  if (tooOld) {
    void import('./pinned-node.js').then((pinned) => pinned.rerun(new URL('./run.js', import.meta.url), pjson.engines.node));
  } else if (process.argv[2] === '--version') {
    // The same line oclif prints, without loading oclif for it.
    console.log(`${pjson.name}/${pjson.version} ${process.platform}-${process.arch} node-${process.version}`);
  } else if (process.argv[2] === '__complete') {
    // The Tab key: oclif would take longer than a person waits.
    void import('./complete.js');
  } else {
    void import('./launch.js');
  }
}
