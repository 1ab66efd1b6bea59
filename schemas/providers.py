"""The providers of the Faker library that a schema may use, by name.

Each gives one short text or number from the stream alone. The others are left out because they give
lists, files or objects, depend on the day (`date_this_year`), look like real people's secrets
(`ssn`, `profile`), or are functions of the library itself (`seed_instance`).
"""

MOST = 1_000
"""The largest number that an argument may be where it says how much is made."""

BOUNDS = frozenset(["min", "max", "min_value", "max_value", "step"])
"""Arguments that bound a number; they may be as large as a number may."""

NAMES = """
    aba address basic_phone_number bban bothify bs building_number catch_phrase city city_prefix
    city_suffix color color_name company company_suffix country country_code cryptocurrency_code
    cryptocurrency_name currency_code currency_name domain_word ean ean13 ean8 emoji
    file_extension file_name first_name first_name_female first_name_male first_name_nonbinary
    hex_color hexify hostname iban isbn10 isbn13 job job_female job_male language_code
    language_name last_name last_name_female last_name_male last_name_nonbinary lexify
    license_plate linux_platform_token locale localized_ean13 mac_address md5 military_apo
    military_ship military_state mime_type name name_female name_male name_nonbinary numerify
    paragraph phone_number postalcode postcode prefix prefix_female prefix_male prefix_nonbinary
    pybool pyint random_digit random_digit_not_null random_int random_letter
    random_lowercase_letter random_number random_uppercase_letter rgb_color safe_color_name
    safe_hex_color secondary_address sentence sha1 sha256 slug state state_abbr street_address
    street_name street_suffix suffix suffix_female suffix_male suffix_nonbinary swift swift11
    swift8 text timezone user_name uuid4 vin word zipcode zipcode_plus4
"""

PROVIDERS = frozenset(NAMES.split())
"""The same as a set."""
