import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig } from '../../service/config/config.ts';
import { rules } from '../architecture/import-rules.ts';
import { interpolated } from './compose.ts';

const root = join(import.meta.dirname, '..', '..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The arguments of an instruction in the form of a list. */
const listAfter = (instruction: string): string[] => {
  const [, list = '[]'] =
    new RegExp(`^${instruction} (\\[.*\\])$`, 'm').exec(read('deploy/Dockerfile')) ?? [];
  return JSON.parse(list);
};

describe('the files of the image', () => {
  it('start the service as npm start does, as the first process', () => {
    const { scripts } = JSON.parse(read('package.json'));
    const [, malloc] = /^ {4}(MALLOC_\w+=\d+) /m.exec(read('deploy/Dockerfile')) ?? [];
    expect(`${malloc} exec ${listAfter('CMD').join(' ')}`).to.equal(scripts.start);
  });

  it('hold every room that runs in production', () => {
    const lines = read('.dockerignore').split('\n');
    const kept = lines.filter((line) => line.startsWith('!')).map((line) => line.slice(1));
    for (const path of kept) {
      expect(existsSync(join(root, path.replace('/*.md', ''))), path).to.equal(true);
    }
    const rooms = Object.keys(rules).filter((room) => room !== 'deploy');
    expect(kept).to.include.members([...rooms, 'service', 'operator']);
    expect(lines).to.include('*');
  });

  it('check their health with a program that there is', () => {
    const [node, program = ''] = /CMD \["(\w+)", "(service\/[^"]+)"\]/
      .exec(read('deploy/Dockerfile'))
      ?.slice(1) ?? [''];
    expect(node).to.equal('node');
    expect(existsSync(join(root, program)), program).to.equal(true);
  });

  it('pass each setting of the guide for containers to the service', () => {
    const [, ...guide] = read('docs/deployment.md').split('## With containers');
    const [block = ''] = guide.join('').split('## ');
    const names = [...block.matchAll(/^echo (\w+)=\S+ >+ \.env$/gm)].map(([, name]) => name);
    expect(names).to.include.members(['BASE_URL', 'TRUSTED_PROXIES']);
    const compose = read('deploy/compose.yaml');
    for (const name of names) expect(compose).to.include(`      ${name}: \${${name}:-`);
  });

  it('set nothing that the service does not use', () => {
    const configWith = (env: Record<string, string>) => {
      const [, block = ''] =
        /^ {4}environment:\n((?: {6}.*\n)+)/m.exec(read('deploy/compose.yaml')) ?? [];
      const set = [...interpolated(block, env).matchAll(/^ {6}(\w+): (.*)$/gm)];
      const plain = set.filter(([, name = '']) => !name.endsWith('_FILE'));
      return readConfig(Object.fromEntries(plain.map(([, name, value]) => [name, value])));
    };
    expect(configWith({}).unused).to.deep.equal([]);
    const withLog = configWith({ EVENT_STORE: 'eventstoredb' });
    expect(withLog).to.include({
      eventStore: 'eventstoredb',
      eventStoreUrl: 'esdb://eventstoredb:2113?tls=false',
    });
  });

  it('let the sandbox of the browser through, and nothing that needs rights', () => {
    const { defaultAction, syscalls } = JSON.parse(read('deploy/seccomp.json')) as {
      defaultAction: string;
      syscalls: { names: string[]; action: string }[];
    };
    expect(defaultAction).to.equal('SCMP_ACT_ERRNO');
    const allowed = syscalls.flatMap(({ names, action }) =>
      action === 'SCMP_ACT_ALLOW' ? names : [],
    );
    expect(allowed).to.include.members(['clone', 'unshare', 'chroot']);
    for (const name of ['mount', 'setns', 'bpf', 'init_module', 'ptrace', 'keyctl', 'reboot'])
      expect(allowed).to.not.include(name);
  });
});
