import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig, variableNames } from '../../service/config/config.ts';
import { secretNames } from '../support/secret-names.ts';
import { interpolated } from './compose.ts';
import { hasLinters, lint } from './linters.ts';

const folder = join(import.meta.dirname, '..', '..', 'deploy');
const text = readFileSync(join(folder, 'compose.yaml'), 'utf8');

const validator = [
  'import compose_spec, sys',
  'print(compose_spec.PyCompose.from_yaml(sys.stdin.read()).to_json())',
].join('\n');
const validated = (source: string): Promise<string> =>
  lint('python', ['-c', validator], interpolated(source));

type Service = {
  environment?: Record<string, string | number>;
  profiles?: string[];
  healthcheck?: object;
  secrets?: (string | { source: string })[];
  security_opt?: string[];
  read_only?: boolean;
  tmpfs?: string[];
  mem_limit?: unknown;
  cpus?: unknown;
  pids_limit?: unknown;
};

describe('deploy/compose.yaml and deploy/Dockerfile', function () {
  this.timeout(180_000);

  if (!hasLinters()) {
    it('need linters: node test/deploy/linters.ts --fetch installs them', () => {});
    return;
  }

  it('pass their linters', async () => {
    await lint('hadolint', ['--no-color', join(folder, 'Dockerfile')]);
    const rules = '{line-length: {max: 120}, document-start: disable, octal-values: enable}';
    // Templates are not YAML before Helm has rendered them, and the result has its own indentation.
    const ignored = '[helm/*/templates/*, kubernetes/letters.yaml]';
    const config = `{extends: default, rules: ${rules}, ignore: ${ignored}}`;
    await lint('yamllint', ['--strict', '--config-data', config, '.'], '', folder);
  });

  it('follow the specification of compose', async () => {
    await validated(text);
    const wrong = await validated(text.replace('stop_grace_period: 20s', 'stop_grace_period: x'))
      .then(() => 'accepted')
      .catch(String);
    expect(wrong).to.include('stop_grace_period');
  });

  it('start the service with settings that it takes, and with its secrets in files', async () => {
    const { services, secrets } = JSON.parse(await validated(text)) as {
      services: Record<string, Service>;
      secrets: Record<string, { file: string }>;
    };
    const environment = services.letters?.environment ?? {};
    const files = secretNames().map((name) => `${name}_FILE`);
    expect([...variableNames(), ...files]).to.include.members(Object.keys(environment));
    const plain = Object.entries(environment).filter(([name]) => !files.includes(name));
    const env = Object.fromEntries(plain.map(([name, value]) => [name, String(value ?? '')]));
    expect(() => readConfig(env)).to.not.throw();
    for (const name of files.filter((one) => one in environment)) {
      expect(Object.keys(secrets).map((one) => `/run/secrets/${one}`)).to.include(
        environment[name],
      );
    }
    expect(services.letters).to.include({ read_only: true });
    // Browsers hold their pictures there: up to 1.5 GB together.
    expect(services.letters?.tmpfs).to.deep.equal(['/tmp:mode=1777,size=2g']);
    expect(services.letters?.security_opt).to.include('seccomp:seccomp.json');
  });

  it('bound every service, and watch its health', async () => {
    const { services } = JSON.parse(await validated(text)) as {
      services: Record<string, Service>;
    };
    expect(Object.keys(services)).to.have.members(['letters', 'postgres', 'eventstoredb', 'kafka']);
    for (const [name, service] of Object.entries(services)) {
      expect(service, name).to.include.keys('mem_limit', 'cpus', 'pids_limit');
      // The service's own health check is in its image.
      if (name !== 'letters') expect(service, name).to.include.keys('healthcheck');
      const optional = name === 'eventstoredb' || name === 'kafka';
      expect(service.profiles, name).to.deep.equal(optional ? [name] : undefined);
    }
  });
});
