/** The chart of `deploy/helm`, and the manifests that are rendered from it. */
import { join } from 'node:path';
import { lint } from './linters.ts';

const deploy = join(import.meta.dirname, '..', '..', 'deploy');
export const chartFolder = join(deploy, 'helm', 'letters');
export const valuesFile = join(deploy, 'kubernetes', 'values.yaml');
export const manifestFile = join(deploy, 'kubernetes', 'letters.yaml');

const header = `# Rendered from deploy/helm with deploy/kubernetes/values.yaml, for clusters without Helm. Do not edit:
# RECORD_MANIFESTS=1 npx mocha test/deploy/chart.e2e.test.ts
`;

/** The chart as Helm renders it. @throws Error with Helm's complaint */
export const render = async (...settings: string[]): Promise<string> => {
  const args = ['template', 'letters', chartFolder, '--values', valuesFile, ...settings];
  return header + (await lint('helm', args));
};

export type Container = {
  image: string;
  env: { name: string; value: string }[];
  ports: { name: string; containerPort: number }[];
  securityContext: object;
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  lifecycle: { preStop: { exec: { command: string[] } } };
} & Record<'startupProbe' | 'readinessProbe' | 'livenessProbe', Probe>;
type Probe = {
  httpGet: { path: string; port: string };
  timeoutSeconds: number;
  periodSeconds: number;
  failureThreshold: number;
};

type Metadata = { name: string; labels: Record<string, string> };
export type Deployment = {
  kind: 'Deployment';
  metadata: Metadata;
  spec: {
    replicas: number;
    strategy: { rollingUpdate: object };
    selector: { matchLabels: Record<string, string> };
    template: {
      metadata: Metadata;
      spec: {
        containers: Container[];
        securityContext: object;
        terminationGracePeriodSeconds: number;
        volumes: { name: string; secret?: object; persistentVolumeClaim?: object }[];
      };
    };
  };
};
export type Manifest =
  | Deployment
  | {
      kind: 'PodDisruptionBudget' | 'Service' | 'NetworkPolicy' | 'PersistentVolumeClaim';
      metadata: Metadata;
      spec: {
        selector?: { matchLabels?: Record<string, string> } & Record<string, unknown>;
        podSelector?: { matchLabels: Record<string, string> };
        maxUnavailable?: number;
        ingress?: object[];
        egress?: object[];
      };
    };

const toJson = 'import json, sys, yaml; print(json.dumps(list(yaml.safe_load_all(sys.stdin))))';

export const parseManifests = async (text: string): Promise<Manifest[]> =>
  JSON.parse(await lint('python', ['-c', toJson], text));
