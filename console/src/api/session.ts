import type { Credentials } from "./credentials.ts";
import type { Rejection } from "./rejection.ts";

/** A demand that the user sign in. */
export interface Asked {
  /** The reason why the credentials of now do not do; absent where there are none. */
  readonly refused: string | undefined;
  /** True if the credentials of now may do elsewhere, so that the user can go on with them. */
  readonly canProceed: boolean;
}

/** A sign-in that requests wait for. */
interface Wait {
  readonly asked: Asked;
  readonly signedIn: Promise<void>;
  end(): void;
}

/** The user who is signed in. A session asks for credentials as soon as the API requires them, or others. */
export class Session {
  #credentials: Credentials | undefined;
  /** True once Plat itself has answered a request with these credentials. */
  #isAccepted = false;
  #wait: Wait | undefined;
  readonly #show: (asked: Asked | undefined) => void;

  /** @param show shows the page that asks, or the page below it again */
  constructor(show: (asked: Asked | undefined) => void) {
    this.#show = show;
  }

  get credentials(): Credentials | undefined {
    return this.#credentials;
  }

  /** Takes the credentials that the user gave. */
  signIn(credentials: Credentials): void {
    this.#credentials = credentials;
    this.#isAccepted = false;
    this.proceed();
  }

  /** Asks no more, and goes on with the credentials of now. */
  proceed(): void {
    const { end } = this.#wait ?? {};
    this.#wait = undefined;
    this.#show(undefined);
    end?.();
  }

  /** Asks the user to sign in. The promise ends with the sign-in. A question that is open stays as it is. */
  ask(asked: Asked): Promise<void> {
    if (this.#wait) return this.#wait.signedIn;
    let end = () => {};
    const signedIn = new Promise<void>((resolve) => {
      end = resolve;
    });
    this.#wait = { asked, signedIn, end };
    this.#show(asked);
    return signedIn;
  }

  /**
   * Takes note of the answer to a request. It returns the sign-in to wait for, if other credentials can help.
   *
   * @param sent the credentials of the request
   */
  heard(sent: Credentials | undefined, rejection?: Rejection): Promise<void> | undefined {
    const isCurrent = sent === this.#credentials;
    if (!rejection?.isDenied && !rejection?.isUnauthenticated) {
      if (isCurrent && (!rejection || rejection.problem)) this.#accept();
      return undefined;
    }
    if (!isCurrent) return Promise.resolve();
    const { isDenied } = rejection;
    if (isDenied && sent && (this.#isAccepted || isOfKnown(rejection))) return undefined;
    return this.ask({
      refused: sent && reasonIn(rejection),
      canProceed: isDenied && sent !== undefined,
    });
  }

  #accept(): void {
    if (this.#isAccepted) return;
    this.#isAccepted = true;
    // One route denied what another one accepts, so the user lacks a role and no credentials.
    if (this.#wait) this.proceed();
  }
}

const reasonIn = (rejection: Rejection): string =>
  rejection.problem
    ? `The API does not accept these credentials. ${rejection.message}`
    : rejection.message;

/** Returns true if the gateway names the caller whose policies do not allow the route. */
const isOfKnown = ({ message }: Rejection): boolean => /not authorized/i.test(message);
