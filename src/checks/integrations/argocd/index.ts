/** Argo CD (CHECKS §4). */
import { notBuilt } from "../not-built.ts";

export const argocd = notBuilt("argocd", "Argo CD");
