/** The service as its pages for people show it. */
import { pathPrefixOf } from '../../ground/path-prefix.ts';
import type { PageService } from '../../pages/sheet-page.ts';
import type { Config } from '../config/config.ts';

export const pageServiceOf = (site: {
  config: Pick<Config, 'serviceName'>;
  baseUrl: string;
}): PageService => ({ ...site.config.serviceName, prefix: pathPrefixOf(site.baseUrl) });
