/** The versions of the manifests that Calico writes. */
export const API_VERSIONS = ["projectcalico.org/v3", "crd.projectcalico.org/v1"];

/** A kind of manifest, in the versions that Plat reads. */
export interface ManifestKind {
  readonly kind: string;
  readonly apiVersions: readonly string[];
}
