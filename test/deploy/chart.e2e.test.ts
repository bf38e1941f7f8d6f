import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect } from 'chai';
import { readConfig, roles, variableNames } from '../../service/config/config.ts';
import { secretNames } from '../support/secret-names.ts';
import {
  type Container,
  chartFolder,
  type Deployment,
  type Manifest,
  manifestFile,
  parseManifests,
  render,
  valuesFile,
} from './chart.ts';
import { hasLinters, lint, toolPath } from './linters.ts';

const root = join(import.meta.dirname, '..', '..');
const isDeployment = (one: Manifest): one is Deployment => one.kind === 'Deployment';
const containerOf = (one: Deployment): Container => one.spec.template.spec.containers[0] as never;

describe('the chart of deploy/helm, rendered', function () {
  this.timeout(180_000);
  if (!hasLinters()) {
    it('needs linters: node test/deploy/linters.ts --fetch installs them', () => {});
    return;
  }
  const text = readFileSync(manifestFile, 'utf8');
  let manifests: Manifest[];
  let deployments: Deployment[];
  before(async () => {
    manifests = await parseManifests(text);
    deployments = manifests.filter(isDeployment);
  });

  it('follows the schemas of Kubernetes', async () => {
    await lint('kubernetes-validate', ['--strict', '--quiet', manifestFile]);
  });

  it('runs every role, with settings that the service takes and its secrets in files', () => {
    const all = deployments.flatMap((one) => {
      const env = containerOf(one).env.map(({ name, value }) => [name, value] as const);
      const files = env.filter(([name]) => name.endsWith('_FILE'));
      const plain = Object.fromEntries(env.filter(([name]) => !name.endsWith('_FILE')));
      expect(secretNames().map((name) => `${name}_FILE`)).to.include.members(
        files.map(([name]) => name),
      );
      expect(files.map(([name]) => name)).to.include.members([
        'DATABASE_URL_FILE',
        'MASTER_KEY_FILE',
      ]);
      for (const [, path] of files) expect(path).to.match(/^\/run\/secrets\/letters\//);
      expect(variableNames()).to.include.members(Object.keys(plain));
      return readConfig(plain).roles;
    });
    expect(all).to.have.members([...roles]);
  });

  it('probes start, readiness and life, and lets requests end before the process does', () => {
    for (const one of deployments) {
      const { startupProbe, readinessProbe, livenessProbe, lifecycle } = containerOf(one);
      const paths = [startupProbe, readinessProbe, livenessProbe].map(
        ({ httpGet }) => httpGet.path,
      );
      expect(paths).to.deep.equal(['/health', '/ready', '/health']);
      // /health and /ready answer within about 2 s, also while the database is away.
      for (const probe of [startupProbe, readinessProbe, livenessProbe])
        expect(probe.timeoutSeconds).to.be.at.least(3);
      const [command, seconds] = lifecycle.preStop.exec.command;
      expect(command).to.equal('sleep');
      // The endpoint is gone before, and the service ends within 10 s after.
      const { failureThreshold, periodSeconds } = readinessProbe;
      expect(failureThreshold * periodSeconds).to.be.at.most(15);
      const grace = one.spec.template.spec.terminationGracePeriodSeconds;
      expect(grace).to.be.at.least(Number(seconds) + 15);
      expect(one.spec.strategy.rollingUpdate).to.deep.equal({ maxUnavailable: 0, maxSurge: 1 });
    }
  });

  it('runs as 10001 on a root that nobody can write to, without any right', () => {
    for (const one of deployments) {
      const { securityContext, volumes } = one.spec.template.spec;
      expect(securityContext).to.deep.include({ runAsNonRoot: true, runAsUser: 10001 });
      const { securityContext: own, volumeMounts } = containerOf(one);
      expect(own).to.deep.equal({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(volumeMounts.map(({ mountPath }) => mountPath)).to.include('/var/lib/letters');
      expect(volumeMounts.find(({ name }) => name === 'secrets')).to.include({ readOnly: true });
      expect(volumes.map(({ name }) => name)).to.have.members(volumeMounts.map(({ name }) => name));
    }
  });

  it('has a disruption budget for each deployment, and routes requests to the pods that serve', () => {
    for (const { metadata, spec } of deployments) {
      const budget = manifests.find(
        (one) => one.kind === 'PodDisruptionBudget' && one.metadata.name === metadata.name,
      );
      expect(budget?.spec.selector).to.deep.equal(spec.selector);
      expect(spec.replicas, 'one is left').to.be.at.least(2);
      expect(budget?.spec).to.include({ maxUnavailable: 1 });
    }
    const service = manifests.find(({ kind }) => kind === 'Service');
    const chosen = deployments.filter(({ spec }) =>
      Object.entries(service?.spec.selector ?? {}).every(
        ([name, value]) => spec.template.metadata.labels[name] === value,
      ),
    );
    expect(chosen.map(({ metadata }) => metadata.name)).to.deep.equal(['letters-api']);
  });

  it('has the version of the program', () => {
    const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
    expect(readFileSync(join(chartFolder, 'Chart.yaml'), 'utf8')).to.contain(
      `version: ${version}\nappVersion: ${version}\n`,
    );
    for (const one of deployments)
      expect(containerOf(one).image).to.equal(`registry.example/letters:${version}`);
  });

  if (toolPath('helm') === undefined) {
    it('was not rendered again: there is no helm, node test/deploy/linters.ts --fetch-helm builds it', () => {});
    return;
  }

  it('is what Helm makes of the chart, without a complaint of its linter', async () => {
    await lint('helm', ['lint', '--strict', chartFolder, '--values', valuesFile]);
    const rendered = await render();
    if (process.env.RECORD_MANIFESTS) await writeFile(manifestFile, rendered);
    expect(readFileSync(manifestFile, 'utf8')).to.equal(rendered);
  });

  it('takes numbers as they are written, a digest, a claim and a profile of system calls', async () => {
    const rendered = await render(
      ...['--set', 'settings.LIMIT_DOCUMENT_BYTES=10485760,seccompProfile=letters.json'],
      ...['--set', `image.digest=sha256:${'a'.repeat(64)},data.existingClaim=shared`],
    );
    for (const one of (await parseManifests(rendered)).filter(isDeployment)) {
      const { env, image } = containerOf(one);
      expect(env).to.deep.include({ name: 'LIMIT_DOCUMENT_BYTES', value: '10485760' });
      expect(image).to.equal(`registry.example/letters@sha256:${'a'.repeat(64)}`);
      const { securityContext, volumes } = one.spec.template.spec;
      expect(securityContext).to.deep.include({
        seccompProfile: { type: 'Localhost', localhostProfile: 'letters.json' },
      });
      expect(volumes).to.deep.include({
        name: 'data',
        persistentVolumeClaim: { claimName: 'shared' },
      });
    }
    expect(rendered).to.not.contain('kind: PersistentVolumeClaim');
  });

  for (const [what, setting, complaint] of [
    ['no Secret', 'secrets.name=', '/secrets/name'],
    ['no database', 'secrets.files.DATABASE_URL=null', 'DATABASE_URL'],
    ['a secret among the settings', 'settings.MASTER_KEY=00', 'MASTER_KEY'],
    ['an unknown role', 'processes.api.roles={api}', '/processes/api/roles/0'],
    [
      'pods that answer a part of the requests',
      'processes.api.roles={read-api}',
      '/processes/api/roles',
    ],
    ['a misspelt value', 'replicas=3', 'replicas'],
  ] as const) {
    it(`is refused with ${what}`, async () => {
      const said = await render('--set', setting).then(() => 'rendered', String);
      expect(said).to.contain("values don't meet the specifications").and.contain(complaint);
    });
  }
});
