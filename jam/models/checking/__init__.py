"""What an endpoint can do: small questions whose replies prove it, and the settings that follow from them."""
